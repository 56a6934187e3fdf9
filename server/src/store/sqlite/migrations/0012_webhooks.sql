CREATE TABLE `webhook_deliveries` (
	`webhook_id` text NOT NULL,
	`number` integer NOT NULL,
	`wallet` text NOT NULL,
	`kind` text NOT NULL,
	`event` integer,
	`status` text DEFAULT 'pending' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`attempted_at` integer,
	`http_status` integer,
	`problem` text,
	PRIMARY KEY(`webhook_id`, `number`)
);
--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`wallet` text NOT NULL,
	`url` text NOT NULL,
	`created_at` integer NOT NULL,
	`key` blob NOT NULL,
	`old_key` blob,
	`old_key_until` integer,
	`cursor` integer NOT NULL,
	`head` integer,
	`retry_at` integer,
	`waiting` integer DEFAULT 0 NOT NULL,
	`last_number` integer DEFAULT 0 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`disabled_at` integer,
	`lease_id` text,
	`lease_until` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_url` ON `webhooks` (`wallet`,`url`);--> statement-breakpoint
CREATE INDEX `webhooks_open` ON `webhooks` (`retry_at`) WHERE head is not null or waiting > 0;