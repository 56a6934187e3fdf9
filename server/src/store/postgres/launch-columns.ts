/** All columns of a `LaunchRow`. By name: another version of the program may add columns. */
export const LAUNCH_COLUMNS = `launches.event_id as "eventId", launches.wallet, launches.name,
  launches.on_chain_name as "onChainName", launches.ticker, launches.description, launches.image_url as "imageUrl", launches.website,
  launches.twitter, launches.telegram, launches.status,
  launches.created_at as "createdAt", launches.processed_at as "processedAt", launches.error,
  launches.attempts, launches.day, launches.signature, launches.transaction,
  launches.last_valid_block_height as "lastValidBlockHeight",
  launches.token_mint as "tokenMint", launches.pool_address as "poolAddress"`;
