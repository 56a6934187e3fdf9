CREATE TABLE "payouts" (
	"claim_id" bigint NOT NULL,
	"position" bigint NOT NULL,
	"token_mint" text NOT NULL,
	"curve_lamports" numeric NOT NULL,
	"pool_lamports" numeric NOT NULL,
	CONSTRAINT "payouts_claim_id_position_pk" PRIMARY KEY("claim_id","position")
);
--> statement-breakpoint
ALTER TABLE "claims" ADD COLUMN "paid_seq" bigint;--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_claim_id_claims_id_fk" FOREIGN KEY ("claim_id") REFERENCES "public"."claims"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payouts" ADD CONSTRAINT "payouts_token_mint_tokens_token_mint_fk" FOREIGN KEY ("token_mint") REFERENCES "public"."tokens"("token_mint") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "claims_paid_of_wallet" ON "claims" USING btree ("wallet",coalesce(paid_seq, id)) WHERE status = 'confirmed';