CREATE TABLE `images` (
	`hash` text PRIMARY KEY NOT NULL,
	`wallet` text NOT NULL,
	`media_type` text NOT NULL,
	`size` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`bytes` blob NOT NULL
);
--> statement-breakpoint
CREATE INDEX `images_expiry` ON `images` (`expires_at`,`size`) WHERE expires_at is not null;--> statement-breakpoint
CREATE INDEX `images_of_wallet` ON `images` (`wallet`,`expires_at`) WHERE expires_at is not null;--> statement-breakpoint
ALTER TABLE `launches` ADD `website` text;--> statement-breakpoint
ALTER TABLE `launches` ADD `twitter` text;--> statement-breakpoint
ALTER TABLE `launches` ADD `telegram` text;--> statement-breakpoint
ALTER TABLE `launches` ADD `pool_terms` text;--> statement-breakpoint
ALTER TABLE `launches` ADD `image_hash` text;--> statement-breakpoint
CREATE INDEX `launches_of_image` ON `launches` (`image_hash`) WHERE image_hash is not null;