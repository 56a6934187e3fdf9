CREATE TABLE `agent_rules` (
	`wallet` text PRIMARY KEY NOT NULL,
	`allowed_at` integer,
	`blocked_at` integer,
	`invited_at` integer
);
--> statement-breakpoint
CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`subject` text,
	`detail` text,
	`reason` text
);
--> statement-breakpoint
CREATE TABLE `chain_binding` (
	`id` integer PRIMARY KEY DEFAULT 1 NOT NULL,
	`chain` text NOT NULL,
	`launch_wallet` text,
	`genesis_hash` text,
	`mint_secret_fingerprint` text NOT NULL,
	`dbc_config` text
);
--> statement-breakpoint
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
	`paid_lamports` lamports_text,
	`fee_lamports` lamports_text,
	`tip_lamports` lamports_text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `collections_signature_unique` ON `collections` (`signature`);--> statement-breakpoint
CREATE INDEX `collections_submitted` ON `collections` (`id`) WHERE status = 'submitted';--> statement-breakpoint
CREATE TABLE `daily_launches` (
	`day` text NOT NULL,
	`client` text NOT NULL,
	`launches` integer NOT NULL,
	`launched` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`day`, `client`)
);
--> statement-breakpoint
CREATE TABLE `event_counters` (
	`wallet` text PRIMARY KEY NOT NULL,
	`last_id` integer NOT NULL,
	`last_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `events` (
	`seq` integer PRIMARY KEY NOT NULL,
	`wallet` text NOT NULL,
	`id` integer NOT NULL,
	`type` text NOT NULL,
	`created_at` integer NOT NULL,
	`launch_seq` integer NOT NULL,
	`claim_id` integer,
	`transaction_hash` text,
	`other_mints` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `events_of_wallet` ON `events` (`wallet`,`id`);--> statement-breakpoint
CREATE TABLE `fee_thresholds` (
	`wallet` text PRIMARY KEY NOT NULL,
	`lamports` lamports_text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `images` (
	`hash` text PRIMARY KEY NOT NULL,
	`wallet` text NOT NULL,
	`media_type` text NOT NULL,
	`size` integer NOT NULL,
	`expires_at` integer,
	`hidden_at` integer,
	`address` text,
	`network` text,
	`small` blob,
	`medium` blob,
	`bytes` blob NOT NULL
);
--> statement-breakpoint
CREATE INDEX `images_in_use` ON `images` (`expires_at`,`size`,`wallet`,`address`,`network`,`hash`) WHERE expires_at is not null;--> statement-breakpoint
CREATE TABLE `invites` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`code_hash` text NOT NULL,
	`note` text,
	`max_uses` integer NOT NULL,
	`uses` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invites_code_hash_unique` ON `invites` (`code_hash`);--> statement-breakpoint
CREATE TABLE `launch_starts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` text,
	`wallet` text NOT NULL,
	`started_at` integer NOT NULL,
	`address` text,
	`network` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `launch_starts_event_id_unique` ON `launch_starts` (`event_id`);--> statement-breakpoint
CREATE INDEX `launch_starts_time` ON `launch_starts` (`started_at`,`wallet`);--> statement-breakpoint
CREATE TABLE `launches` (
	`seq` integer PRIMARY KEY NOT NULL,
	`event_id` text NOT NULL,
	`wallet` text NOT NULL,
	`name` text NOT NULL,
	`on_chain_name` text,
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
	`request_hash` text,
	`ticker_released` integer DEFAULT 0 NOT NULL,
	`address` text,
	`network` text,
	`reserved_lamports` lamports_text,
	`reserved_day` text,
	`tip_lamports` lamports_text,
	`website` text,
	`twitter` text,
	`telegram` text,
	`terms_id` integer,
	`image_hash` text,
	`waiting_for` text,
	`waiting_since` integer,
	`payer` text,
	`first_buy_lamports` lamports_text,
	`first_buy_units` lamports_text,
	`agent_lamports` lamports_text,
	`sign_by` integer,
	`queued_at` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`terms_id`) REFERENCES `pool_terms`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `launches_event_id_unique` ON `launches` (`event_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `launches_ticker` ON `launches` (`ticker`) WHERE ticker_released = 0;--> statement-breakpoint
CREATE UNIQUE INDEX `launches_leased` ON `launches` (`wallet`) WHERE status = 'pending' and lease_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `launches_day` ON `launches` (`wallet`,`day`) WHERE status = 'success' or (status = 'pending' and signature is not null);--> statement-breakpoint
CREATE INDEX `launches_of_wallet` ON `launches` (`wallet`,`status`,`created_at`);--> statement-breakpoint
CREATE INDEX `launches_due` ON `launches` (`run_at`,`seq`) WHERE status = 'pending' and payer is null;--> statement-breakpoint
CREATE INDEX `launches_undecided` ON `launches` (`run_at`,`seq`) WHERE status = 'pending' and payer is null and signature is not null;--> statement-breakpoint
CREATE INDEX `launches_paid` ON `launches` (`sign_by`) WHERE status = 'pending' and sign_by is not null;--> statement-breakpoint
CREATE INDEX `launches_pending_of_network` ON `launches` (`network`,`address`,`payer`) WHERE status = 'pending' and network is not null;--> statement-breakpoint
CREATE INDEX `launches_reserved` ON `launches` (`reserved_day`) WHERE status = 'pending' and reserved_day is not null;--> statement-breakpoint
CREATE INDEX `launches_of_mint` ON `launches` (`token_mint`) WHERE token_mint is not null and status <> 'success';--> statement-breakpoint
CREATE INDEX `launches_of_image` ON `launches` (`image_hash`) WHERE image_hash is not null;--> statement-breakpoint
CREATE TABLE `leases` (
	`name` text PRIMARY KEY NOT NULL,
	`lease_id` text NOT NULL,
	`lease_until` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `markets` (
	`token_id` integer PRIMARY KEY NOT NULL,
	`price` lamports_text NOT NULL,
	`market_cap` lamports_text NOT NULL,
	`raised` lamports_text,
	`goal` lamports_text NOT NULL,
	`earned` lamports_text NOT NULL,
	`fees` lamports_text NOT NULL,
	`traded` lamports_text NOT NULL,
	`changed_at` integer NOT NULL,
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `payouts` (
	`claim_id` integer NOT NULL,
	`position` integer NOT NULL,
	`token_id` integer NOT NULL,
	`curve_lamports` lamports_text NOT NULL,
	`pool_lamports` lamports_text NOT NULL,
	PRIMARY KEY(`claim_id`, `position`),
	FOREIGN KEY (`claim_id`) REFERENCES `prepared`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
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
	`reserved_lamports` lamports_text,
	`reserved_day` text,
	`tip_lamports` lamports_text,
	FOREIGN KEY (`token_mint`) REFERENCES `tokens`(`token_mint`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `pool_migrations_open` ON `pool_migrations` (`token_mint`) WHERE status <> 'done';--> statement-breakpoint
CREATE TABLE `pool_terms` (
	`id` integer PRIMARY KEY NOT NULL,
	`terms` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pool_terms_terms_unique` ON `pool_terms` (`terms`);--> statement-breakpoint
CREATE TABLE `prepared` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text DEFAULT 'claim' NOT NULL,
	`wallet` text NOT NULL,
	`token_id` integer,
	`launch_seq` integer,
	`message_hash` text NOT NULL,
	`status` text DEFAULT 'prepared' NOT NULL,
	`last_valid_block_height` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`signature` text,
	`transaction` blob,
	`paid_lamports` lamports_text,
	`confirmed_at` integer,
	`lease_id` text,
	`lease_until` integer,
	`other_mints` text DEFAULT '[]' NOT NULL,
	`receivers` text DEFAULT '[]' NOT NULL,
	`sponsored_day` text,
	`paid_seq` integer,
	`handed_to` text,
	`launch` text,
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`launch_seq`) REFERENCES `launches`(`seq`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `prepared_message_hash_unique` ON `prepared` (`message_hash`);--> statement-breakpoint
CREATE INDEX `prepared_expiring` ON `prepared` (`expires_at`) WHERE status = 'prepared';--> statement-breakpoint
CREATE INDEX `prepared_of_token` ON `prepared` (`token_id`) WHERE status = 'prepared';--> statement-breakpoint
CREATE INDEX `prepared_of_launch` ON `prepared` (`launch_seq`) WHERE launch_seq is not null;--> statement-breakpoint
CREATE INDEX `prepared_submitted` ON `prepared` (`id`) WHERE status = 'submitted';--> statement-breakpoint
CREATE INDEX `prepared_at_risk` ON `prepared` (`wallet`,`sponsored_day`) WHERE sponsored_day is not null and status <> 'confirmed';--> statement-breakpoint
CREATE INDEX `prepared_paid_of_wallet` ON `prepared` (`wallet`,`paid_seq`) WHERE status = 'confirmed';--> statement-breakpoint
CREATE TABLE `prices` (
	`token_id` integer NOT NULL,
	`span` integer NOT NULL,
	`at` integer NOT NULL,
	`price` lamports_text NOT NULL,
	PRIMARY KEY(`token_id`, `span`, `at`),
	FOREIGN KEY (`token_id`) REFERENCES `tokens`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `prices_age` ON `prices` (`span`,`at`);--> statement-breakpoint
CREATE TABLE `servers` (
	`id` text PRIMARY KEY NOT NULL,
	`host` text NOT NULL,
	`pid` integer NOT NULL,
	`url` text NOT NULL,
	`version` text NOT NULL,
	`started_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`steering_version` integer NOT NULL,
	`settings` text
);
--> statement-breakpoint
CREATE TABLE `spending` (
	`day` text PRIMARY KEY NOT NULL,
	`lamports` lamports_text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `steering` (
	`id` integer PRIMARY KEY DEFAULT 1 NOT NULL,
	`version` integer NOT NULL,
	`settings` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` integer NOT NULL,
	`token_mint` text NOT NULL,
	`pool_address` text NOT NULL,
	`launch_seq` integer NOT NULL,
	`wallet` text NOT NULL,
	`ticker` text NOT NULL,
	`name` text NOT NULL,
	`image_url` text,
	`deployed_at` integer NOT NULL,
	`claimed_at` integer,
	`claimed_to` text,
	`migrated_at` integer,
	`fees_told_at` integer,
	`holder` text,
	`held_since` integer,
	`accepted_at` integer,
	`hidden_at` integer,
	`likeness` text DEFAULT '' NOT NULL,
	PRIMARY KEY(`wallet`, `id`),
	FOREIGN KEY (`launch_seq`) REFERENCES `launches`(`seq`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_id_unique` ON `tokens` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_token_mint_unique` ON `tokens` (`token_mint`);--> statement-breakpoint
CREATE INDEX `tokens_likeness` ON `tokens` (`likeness`,`id`);--> statement-breakpoint
CREATE INDEX `tokens_of_holder` ON `tokens` (`holder`,`id`) WHERE holder is not null;--> statement-breakpoint
CREATE INDEX `tokens_migrated` ON `tokens` (`id`) WHERE migrated_at is not null;--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`webhook_id` text NOT NULL,
	`number` integer NOT NULL,
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
	`cursor` integer NOT NULL,
	`head` integer,
	`retry_at` integer,
	`waiting` integer DEFAULT 0 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`lease_id` text,
	`lease_until` integer,
	`host` text NOT NULL,
	`pace` text DEFAULT 'new' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_url` ON `webhooks` (`wallet`,`url`);--> statement-breakpoint
CREATE INDEX `webhooks_open` ON `webhooks` (`retry_at`) WHERE head is not null or waiting > 0;
