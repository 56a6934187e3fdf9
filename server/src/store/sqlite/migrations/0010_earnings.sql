CREATE TABLE `collections` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`wallet` text NOT NULL,
	`status` text DEFAULT 'submitted' NOT NULL,
	`signature` text NOT NULL,
	`transaction` blob,
	`last_valid_block_height` integer NOT NULL,
	`tokens` text NOT NULL,
	`submitted_at` integer NOT NULL,
	`settled_at` integer,
	`paid_lamports` text,
	`fee_lamports` text,
	CONSTRAINT "collections_status" CHECK("collections"."status" in ('submitted', 'confirmed', 'failed', 'expired'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `collections_signature_unique` ON `collections` (`signature`);--> statement-breakpoint
CREATE INDEX `collections_submitted` ON `collections` (`id`) WHERE status = 'submitted';--> statement-breakpoint
CREATE TABLE `pool_migrations` (
	`token_mint` text PRIMARY KEY NOT NULL,
	`status` text DEFAULT 'pending' NOT NULL,
	`run_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`lease_id` text,
	`lease_until` integer,
	`signature` text,
	`transaction` blob,
	`last_valid_block_height` integer,
	`reserved_lamports` text,
	`reserved_day` text,
	`done_at` integer,
	`error` text,
	FOREIGN KEY (`token_mint`) REFERENCES `tokens`(`token_mint`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "pool_migrations_status" CHECK("pool_migrations"."status" in ('pending', 'submitted', 'done'))
);
--> statement-breakpoint
CREATE INDEX `pool_migrations_open` ON `pool_migrations` (`token_mint`) WHERE status <> 'done';