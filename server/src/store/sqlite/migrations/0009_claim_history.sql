CREATE TABLE `payouts` (
	`claim_id` integer NOT NULL,
	`position` integer NOT NULL,
	`token_mint` text NOT NULL,
	`curve_lamports` text NOT NULL,
	`pool_lamports` text NOT NULL,
	PRIMARY KEY(`claim_id`, `position`),
	FOREIGN KEY (`claim_id`) REFERENCES `claims`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`token_mint`) REFERENCES `tokens`(`token_mint`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
ALTER TABLE `claims` ADD `paid_seq` integer;--> statement-breakpoint
CREATE INDEX `claims_paid_of_wallet` ON `claims` (`wallet`,`paid_seq`) WHERE status = 'confirmed';--> statement-breakpoint
UPDATE `claims` SET `paid_seq` = `id` WHERE `status` = 'confirmed';
