DROP INDEX `launches_pending_of_address`;--> statement-breakpoint
ALTER TABLE `launches` ADD `network` text;--> statement-breakpoint
CREATE INDEX `launches_pending_of_network` ON `launches` (`network`,`address`) WHERE status = 'pending' and network is not null;--> statement-breakpoint
ALTER TABLE `address_launches` ADD `launched` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `launch_starts` ADD `address` text;--> statement-breakpoint
ALTER TABLE `launch_starts` ADD `network` text;