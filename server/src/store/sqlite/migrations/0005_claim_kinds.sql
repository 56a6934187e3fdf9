ALTER TABLE `claims` ADD `other_mints` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `claims` ADD `sponsored_day` text;--> statement-breakpoint
CREATE INDEX `claims_at_risk` ON `claims` (`wallet`,`sponsored_day`) WHERE sponsored_day is not null and status <> 'confirmed';