// Written by scripts/wire-types.ts from shared/src/contract/: change the schemas there.
// biome-ignore-all format: generated
import type { LenientSchema } from "@tokenctl/shared/contract/lenient-schema";
import type * as wire from "@tokenctl/shared/types";
import { answer, boolean, list, number, orNull, shape, string } from "./answer.ts";

const PricePoint: LenientSchema = shape({at:string,priceSOL:number});
const FieldError: LenientSchema = shape({field:string,message:string});
const CurveKnot: LenientSchema = shape({raisedSOL:number,priceSOL:number});
const FactCost: LenientSchema = shape({amount:number,of:string,atMost:number});
const UnreadableClaim: LenientSchema = shape({tokenMint:string,ticker:string,error:string});
const ChainStall: LenientSchema = shape({since:string,launchesWaiting:number,claimsWaiting:number});
const LaunchCost: LenientSchema = shape({total:number,rent:number,networkFee:number,creationFee:number,firstBuy:number});
const PaidReceiver: LenientSchema = shape({address:string,paidSOL:number,paidLamports:{"type":"string","pattern":"^\\d{1,39}$"}});
const Webhook: LenientSchema = shape({id:string,url:string,createdAt:string,cursor:number,nextAttemptAt:orNull(string),failures:number});
const Fact: LenientSchema = shape({name:string,verdict:string,passes:boolean,text:string,cost:orNull(FactCost)});
const Market: LenientSchema = shape({tokenMint:string,priceSOL:number,marketCapSOL:number,isMigrated:boolean,raisedSOL:number,graduationSOL:number,missingSOL:number,creatorFeesSOL:number,tradedSOL:number,changedAt:string});
const AgentEventData: LenientSchema = shape({eventId:string,ticker:string,tokenMint:orNull(string),tokenMints:list(string),transactionHash:orNull(string),payer:{"type":"string","enum":["agent"]},costSOL:number},["payer","costSOL"]);
const TradeFee: LenientSchema = shape({startBps:number,endBps:number,schedule:shape({shape:string,steps:number,seconds:number}),volatilityBps:number,firstBuyBps:number,creatorSharePercent:number},["schedule","volatilityBps","firstBuyBps"]);
const WebhookDelivery: LenientSchema = shape({number:number,kind:string,event:orNull(number),status:{"type":"string","enum":["pending","delivered","failed"]},attempts:number,createdAt:string,attemptedAt:orNull(string),httpStatus:orNull(number),problem:orNull(string)});
const AgentEvent: LenientSchema = shape({id:number,type:string,timestamp:string,data:AgentEventData});
const Token: LenientSchema = shape({poolAddress:string,tokenMint:string,ticker:string,tokenName:string,isClaimed:boolean,claimedAt:orNull(string),claimedToAddress:orNull(string),deployedAt:string,imageUrl:string,holder:string,launchedBy:string},["imageUrl","holder","launchedBy"]);
const ErrorBody: LenientSchema = shape({error:string,code:string,details:list(FieldError),message:string,oldestAfter:number,requiredSOL:number,balanceSOL:number,eventId:string,status:string},["details","message","oldestAfter","requiredSOL","balanceSOL","eventId","status"]);
const LaunchRefusal: LenientSchema = shape({code:string,error:string,details:list(FieldError),message:string,retryAfterSeconds:number,requiredSOL:number,balanceSOL:number,eventId:string,status:string},["details","message","retryAfterSeconds","requiredSOL","balanceSOL","eventId","status"]);
const TokenProof: LenientSchema = shape({tokenMint:string,name:orNull(string),symbol:orNull(string),passed:boolean,facts:list(Fact),poolAddress:orNull(string),config:orNull(string),creator:orNull(string),liquidityPoolAddress:orNull(string),metadataSha256:orNull(string)});
const ClaimRecord: LenientSchema = shape({tokenMint:string,poolAddress:string,ticker:string,claimableSOL:number,dbcClaimableFees:number,dbcTotalFees:number,dbcClaimedFees:number,lpClaimableFees:number,lpTotalFees:number,lpClaimedFees:number,isMigrated:boolean,claimedElsewhere:number,creatorChanged:shape({dbcHolder:string,lpHolder:orNull(string)},["dbcHolder","lpHolder"])},["claimedElsewhere","creatorChanged"]);
const PaidClaim: LenientSchema = shape({tokenMint:string,ticker:string,claimedSOL:number,claimedLamports:{"type":"string","pattern":"^\\d{1,39}$"},dbcClaimedLamports:{"type":"string","pattern":"^\\d{1,39}$"},lpClaimedLamports:{"type":"string","pattern":"^\\d{1,39}$"},transactionHash:string,receivers:list(PaidReceiver),claimedAt:string},["receivers"]);
const Launch: LenientSchema = shape({eventId:string,ticker:string,status:{"type":"string","enum":["pending","success","failed","rate_limited"]},processedAt:orNull(string),tokenMint:orNull(string),poolAddress:orNull(string),error:orNull(string),waitingFor:string,waitingSince:string,signBy:string,payer:{"type":"string","enum":["agent"]},costSOL:number,tokenName:string,createdAt:string},["waitingFor","waitingSince","signBy","payer","costSOL"]);
const FeeSchedule: LenientSchema = shape({bondingCurve:TradeFee,liquidityPool:TradeFee});

/** The bodies that the service sends, by their names in the contract. */
export const answers = {
  AgentEvent: answer<wire.AgentEvent>(AgentEvent),
  AgentEventList: answer<wire.AgentEventList>(shape({events:list(AgentEvent),nextAfter:number})),
  Challenge: answer<wire.Challenge>(shape({nonce:string})),
  CheckedProof: answer<wire.CheckedProof>(shape({checkedAt:string,proof:TokenProof})),
  ClaimHistory: answer<wire.ClaimHistory>(shape({claims:list(PaidClaim),nextCursor:string},["nextCursor"])),
  ClaimList: answer<wire.ClaimList>(shape({claims:list(ClaimRecord),unreadable:list(UnreadableClaim),nextCursor:string},["unreadable","nextCursor"])),
  ClaimReceipt: answer<wire.ClaimReceipt>(shape({success:{"type":"boolean","const":true},transactionHash:string,claimedSOL:number})),
  ClaimsReceipt: answer<wire.ClaimsReceipt>(shape({success:{"type":"boolean","const":true},transactionHash:string,claimedSOL:number,tokenMints:list(string)})),
  DevAirdrop: answer<wire.DevAirdrop>(shape({success:{"type":"boolean","const":true},signature:string,wallet:string,sol:number})),
  DevGraduation: answer<wire.DevGraduation>(shape({success:{"type":"boolean","const":true},signature:string,isMigrated:boolean})),
  DevTrade: answer<wire.DevTrade>(shape({success:{"type":"boolean","const":true},signature:string,side:{"type":"string","enum":["buy","sell"]},sol:number,tokens:string,creatorFeeSOL:number,isMigrated:boolean})),
  FeeThreshold: answer<wire.FeeThreshold>(shape({claimableSOL:orNull(number)})),
  HandOverReceipt: answer<wire.HandOverReceipt>(shape({success:{"type":"boolean","const":true},transactionHash:string,to:string})),
  Health: answer<wire.Health>(shape({ok:boolean,db:{"type":"string","enum":["connected","disconnected"]},timestamp:string,network:string,launchPayers:list({"type":"string","enum":["operator","agent"]}),message:string,operatorMessage:string,stalled:ChainStall,error:string,code:string},["network","launchPayers","message","operatorMessage","stalled","error","code"])),
  LaunchAccepted: answer<wire.LaunchAccepted>(shape({success:{"type":"boolean","const":true},eventId:string,message:string,replayed:{"type":"boolean","const":true}},["replayed"])),
  LaunchCheck: answer<wire.LaunchCheck>(shape({ok:boolean,refusals:list(LaunchRefusal),endsAs:orNull(shape({status:{"type":"string","enum":["rate_limited"]},error:string})),agent:shape({hasLaunchedToday:boolean,waiting:number,accepted:number,limit:orNull(number)}),queue:shape({depth:number,place:number,limit:orNull(number)}),service:shape({ok:boolean,message:orNull(string)}),warnings:list(string),fees:orNull(FeeSchedule),curve:list(CurveKnot),payment:orNull(shape({costSOL:LaunchCost,requiredSOL:number,balanceSOL:number,canPay:boolean,config:orNull(string)}))},["warnings","curve","payment"])),
  LaunchList: answer<wire.LaunchList>(shape({launches:list(Launch),nextCursor:string},["nextCursor"])),
  LaunchStatus: answer<wire.LaunchStatus>(shape({eventId:string,ticker:string,status:{"type":"string","enum":["pending","success","failed","rate_limited"]},processedAt:orNull(string),tokenMint:orNull(string),poolAddress:orNull(string),error:orNull(string),waitingFor:string,waitingSince:string,signBy:string,payer:{"type":"string","enum":["agent"]},costSOL:number},["waitingFor","waitingSince","signBy","payer","costSOL"])),
  MarketHistory: answer<wire.MarketHistory>(shape({market:orNull(Market),curve:list(CurveKnot),prices:list(PricePoint)})),
  PreparedClaim: answer<wire.PreparedClaim>(shape({success:{"type":"boolean","const":true},transaction:string,expiresInSeconds:number,sponsored:{"type":"boolean","const":true},repaymentSOL:number,receivers:list(PaidReceiver)},["sponsored","repaymentSOL","receivers"])),
  PreparedClaims: answer<wire.PreparedClaims>(shape({success:{"type":"boolean","const":true},transaction:string,expiresInSeconds:number,sponsored:{"type":"boolean","const":true},repaymentSOL:number,receivers:list(PaidReceiver),tokenMints:list(string)},["sponsored","repaymentSOL","receivers"])),
  PreparedHandOver: answer<wire.PreparedHandOver>(shape({success:{"type":"boolean","const":true},transaction:string,expiresInSeconds:number,networkFeeSOL:number,rentSOL:number})),
  PreparedLaunch: answer<wire.PreparedLaunch>(shape({success:{"type":"boolean","const":true},transaction:string,expiresInSeconds:number,costSOL:LaunchCost,tokenMint:string,poolAddress:string,config:orNull(string),metadataUri:orNull(string)})),
  PublicToken: answer<wire.PublicToken>(shape({tokenMint:string,poolAddress:string,ticker:string,tokenName:string,creator:string,holder:string,config:orNull(string),fees:orNull(FeeSchedule),launchTransaction:orNull(string),deployedAt:string,warnings:list(string)},["holder","warnings"])),
  RedeemedInvite: answer<wire.RedeemedInvite>(shape({success:{"type":"boolean","const":true},wasInvited:boolean})),
  Session: answer<wire.Session>(shape({token:string})),
  Token: answer<wire.Token>(Token),
  TokenList: answer<wire.TokenList>(shape({tokens:list(Token),nextCursor:string},["nextCursor"])),
  TokenMetadata: answer<wire.TokenMetadata>(shape({name:string,symbol:string,description:string,image:string,website:string,twitter:string,telegram:string},["website","twitter","telegram"])),
  UploadedImage: answer<wire.UploadedImage>(shape({success:{"type":"boolean","const":true},url:string,expiresAt:string})),
  WalletBalance: answer<wire.WalletBalance>(shape({wallet:string,balanceSOL:number})),
  WebhookDelivery: answer<wire.WebhookDelivery>(WebhookDelivery),
  WebhookDeliveryList: answer<wire.WebhookDeliveryList>(shape({deliveries:list(WebhookDelivery),nextCursor:string},["nextCursor"])),
  WebhookList: answer<wire.WebhookList>(shape({webhooks:list(Webhook)})),
  WebhookRemoved: answer<wire.WebhookRemoved>(shape({success:{"type":"boolean","const":true},url:string})),
  WebhookWithSecret: answer<wire.WebhookWithSecret>(shape({id:string,url:string,createdAt:string,cursor:number,nextAttemptAt:orNull(string),failures:number,secret:string})),
};

/** The body of an error, which a gateway sends without a code. */
export const errorBody = answer<wire.ErrorBody>({ ...ErrorBody, required: ["error"] });
