ALTER TABLE "webhooks" ADD COLUMN "host" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "pace" text DEFAULT 'new' NOT NULL;