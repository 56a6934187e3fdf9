ALTER TABLE `launches` ADD `waiting_for` text;--> statement-breakpoint
ALTER TABLE `launches` ADD `waiting_since` integer;