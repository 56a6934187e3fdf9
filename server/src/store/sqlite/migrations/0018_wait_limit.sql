CREATE TABLE `service_time` (
	`id` integer PRIMARY KEY NOT NULL,
	`ms` integer NOT NULL,
	`ticked_at` integer NOT NULL,
	CONSTRAINT "service_time_one_row" CHECK("service_time"."id" = 1)
);
--> statement-breakpoint
ALTER TABLE `launches` ADD `queued_at` integer DEFAULT 0 NOT NULL;