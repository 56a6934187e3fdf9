CREATE TABLE `claims` (
	`id` integer PRIMARY KEY NOT NULL,
	`wallet` text NOT NULL,
	`token_mint` text NOT NULL,
	`message_hash` text NOT NULL,
	`status` text DEFAULT 'prepared' NOT NULL,
	`last_valid_block_height` integer NOT NULL,
	`prepared_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`signature` text,
	`transaction` blob,
	`paid_lamports` text,
	`confirmed_at` integer,
	FOREIGN KEY (`token_mint`) REFERENCES `tokens`(`token_mint`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "claims_status" CHECK("claims"."status" in ('prepared', 'submitted', 'confirmed'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `claims_message_hash_unique` ON `claims` (`message_hash`);--> statement-breakpoint
CREATE INDEX `claims_prepared` ON `claims` (`expires_at`) WHERE status = 'prepared';--> statement-breakpoint
CREATE INDEX `claims_submitted` ON `claims` (`id`) WHERE status = 'submitted';--> statement-breakpoint
CREATE TABLE `launches` (
	`event_id` text PRIMARY KEY NOT NULL,
	`wallet` text NOT NULL,
	`name` text NOT NULL,
	`ticker` text NOT NULL,
	`description` text,
	`image_url` text,
	`status` text DEFAULT 'pending' NOT NULL,
	`created_at` integer NOT NULL,
	`processed_at` integer,
	`error` text,
	`run_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`lease_id` text,
	`lease_until` integer,
	`day` text,
	`signature` text,
	`transaction` blob,
	`last_valid_block_height` integer,
	`token_mint` text,
	`pool_address` text,
	`idempotency_key` text,
	`request_hash` text,
	CONSTRAINT "launches_status" CHECK("launches"."status" in ('pending', 'success', 'failed', 'rate_limited'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `launches_ticker_unique` ON `launches` (`ticker`);--> statement-breakpoint
CREATE INDEX `launches_due` ON `launches` (`run_at`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `launches_pending_of_wallet` ON `launches` (`wallet`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `launches_of_mint` ON `launches` (`token_mint`) WHERE token_mint is not null;--> statement-breakpoint
CREATE INDEX `launches_of_day` ON `launches` (`wallet`,`day`) WHERE status = 'success';--> statement-breakpoint
CREATE UNIQUE INDEX `launches_idempotency` ON `launches` (`wallet`,`idempotency_key`) WHERE idempotency_key is not null;--> statement-breakpoint
CREATE TABLE `spending` (
	`day` text PRIMARY KEY NOT NULL,
	`lamports` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`token_mint` text NOT NULL,
	`pool_address` text NOT NULL,
	`event_id` text NOT NULL,
	`wallet` text NOT NULL,
	`ticker` text NOT NULL,
	`name` text NOT NULL,
	`deployed_at` integer NOT NULL,
	`claimed_at` integer,
	`claimed_to` text,
	FOREIGN KEY (`event_id`) REFERENCES `launches`(`event_id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_token_mint_unique` ON `tokens` (`token_mint`);--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_event_id_unique` ON `tokens` (`event_id`);--> statement-breakpoint
CREATE INDEX `tokens_of_wallet` ON `tokens` (`wallet`,`id`);