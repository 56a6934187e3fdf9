CREATE TABLE `agent_rules` (
	`wallet` text PRIMARY KEY NOT NULL,
	`allowed_at` integer,
	`blocked_at` integer,
	`invited_at` integer,
	`invite_id` integer
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
CREATE TABLE `launch_attempts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` text NOT NULL,
	`signature` text NOT NULL,
	`signed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `launch_attempts_of_launch` ON `launch_attempts` (`event_id`);--> statement-breakpoint
CREATE TABLE `launch_starts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_id` text,
	`wallet` text NOT NULL,
	`started_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `launch_starts_event_id_unique` ON `launch_starts` (`event_id`);--> statement-breakpoint
CREATE INDEX `launch_starts_time` ON `launch_starts` (`started_at`,`wallet`);--> statement-breakpoint
CREATE TABLE `servers` (
	`id` text PRIMARY KEY NOT NULL,
	`host` text NOT NULL,
	`pid` integer NOT NULL,
	`url` text NOT NULL,
	`version` text NOT NULL,
	`started_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`steering_version` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `steering` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`settings` text NOT NULL,
	CONSTRAINT "steering_one_row" CHECK("steering"."id" = 1)
);
--> statement-breakpoint
CREATE TRIGGER `audit_no_update` BEFORE UPDATE ON `audit` BEGIN SELECT RAISE(ABORT, 'entries of the audit table stay as they are'); END;--> statement-breakpoint
CREATE TRIGGER `audit_no_delete` BEFORE DELETE ON `audit` BEGIN SELECT RAISE(ABORT, 'entries of the audit table stay as they are'); END;