ALTER TABLE "launches" ADD COLUMN "website" text;--> statement-breakpoint
ALTER TABLE "launches" ADD COLUMN "twitter" text;--> statement-breakpoint
ALTER TABLE "launches" ADD COLUMN "telegram" text;