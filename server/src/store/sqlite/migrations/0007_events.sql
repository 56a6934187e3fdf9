CREATE TABLE `event_counters` (
	`wallet` text PRIMARY KEY NOT NULL,
	`last_id` integer NOT NULL,
	`last_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `events` (
	`wallet` text NOT NULL,
	`id` integer NOT NULL,
	`type` text NOT NULL,
	`created_at` integer NOT NULL,
	`event_id` text NOT NULL,
	`ticker` text NOT NULL,
	`token_mint` text,
	`transaction_hash` text,
	`other_mints` text DEFAULT '[]' NOT NULL,
	PRIMARY KEY(`wallet`, `id`)
);
--> statement-breakpoint
CREATE INDEX `events_by_age` ON `events` (`created_at`,`wallet`,`id`);