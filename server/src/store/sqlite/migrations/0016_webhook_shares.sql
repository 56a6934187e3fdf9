ALTER TABLE `webhooks` ADD `host` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `pace` text DEFAULT 'new' NOT NULL;