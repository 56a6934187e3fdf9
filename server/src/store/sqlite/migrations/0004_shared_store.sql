ALTER TABLE `chain_binding` ADD `mint_secret_fingerprint` text;--> statement-breakpoint
ALTER TABLE `chain_binding` ADD `dbc_config` text;--> statement-breakpoint
ALTER TABLE `claims` ADD `lease_id` text;--> statement-breakpoint
ALTER TABLE `claims` ADD `lease_until` integer;--> statement-breakpoint
ALTER TABLE `launches` ADD `reserved_lamports` text;--> statement-breakpoint
ALTER TABLE `launches` ADD `reserved_day` text;--> statement-breakpoint
CREATE INDEX `launches_reserved` ON `launches` (`event_id`,`reserved_lamports`) WHERE status = 'pending' and reserved_lamports is not null;