CREATE TABLE `address_launches` (
	`day` text NOT NULL,
	`address` text NOT NULL,
	`launches` integer NOT NULL,
	PRIMARY KEY(`day`, `address`)
);
--> statement-breakpoint
DROP INDEX `launches_ticker_unique`;--> statement-breakpoint
DROP INDEX `launches_pending_of_wallet`;--> statement-breakpoint
ALTER TABLE `launches` ADD `ticker_released` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `launches` ADD `address` text;--> statement-breakpoint
CREATE UNIQUE INDEX `launches_ticker` ON `launches` (`ticker`) WHERE ticker_released = 0;--> statement-breakpoint
CREATE INDEX `launches_of_wallet` ON `launches` (`wallet`,`status`,`created_at`);--> statement-breakpoint
CREATE INDEX `launches_pending_of_address` ON `launches` (`address`) WHERE status = 'pending' and address is not null;--> statement-breakpoint
CREATE INDEX `claims_prepared_of_token` ON `claims` (`token_mint`) WHERE status = 'prepared';--> statement-breakpoint
UPDATE `launches` SET `transaction` = NULL WHERE status <> 'pending' AND `transaction` IS NOT NULL;--> statement-breakpoint
UPDATE `claims` SET `transaction` = NULL WHERE status = 'confirmed' AND `transaction` IS NOT NULL;
