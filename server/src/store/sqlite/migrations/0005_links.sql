ALTER TABLE `launches` ADD `website` text;--> statement-breakpoint
ALTER TABLE `launches` ADD `twitter` text;--> statement-breakpoint
ALTER TABLE `launches` ADD `telegram` text;