CREATE TABLE `fee_thresholds` (
	`wallet` text NOT NULL,
	`token_mint` text NOT NULL,
	`lamports` text NOT NULL,
	PRIMARY KEY(`wallet`, `token_mint`)
);
--> statement-breakpoint
CREATE TABLE `leases` (
	`name` text PRIMARY KEY NOT NULL,
	`lease_id` text NOT NULL,
	`lease_until` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `tokens` ADD `migrated_at` integer;--> statement-breakpoint
ALTER TABLE `tokens` ADD `fees_told_at` integer;--> statement-breakpoint
CREATE INDEX `tokens_unmigrated` ON `tokens` (`id`) WHERE migrated_at is null;