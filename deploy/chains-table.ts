import { chainProfiles, networkParamsOf } from '../protocol/identity/index.ts'

/** The table of chains in docs/deploy.md. */
export function chainsTable(): string {
  const rows: [name: string, of: (profile: (typeof chainProfiles)[number]) => unknown][] = [
    ['Chain id', ({ chainId }) => chainId],
    ['Seconds from block to block', ({ blockSecs }) => blockSecs],
    ['Age of the last final block, at most', ({ finality }) => (finality ? `${finality.secs} s` : 'none')],
    ['Its depth in blocks, at most', ({ finality }) => finality?.blocks ?? 'none'],
    ['`CHAIN_CONFIRMATIONS`, at least', ({ confirmationsMin }) => confirmationsMin],
    ['`beacon_offset_secs`', ({ chainId }) => networkParamsOf(chainId).beacon_offset_secs],
    ['`settle`', ({ chainId }) => networkParamsOf(chainId).settle],
    ['`vault_challenge_secs`', ({ chainId }) => networkParamsOf(chainId).vault_challenge_secs],
    ['`dispute_window_secs_min`', ({ chainId }) => networkParamsOf(chainId).dispute_window_secs_min],
    ['Blocks whose logs are asked for at once', ({ logBlocks }) => logBlocks],
    ['`RELAYER_FEE_CAP_GWEI`', ({ feeCapGwei }) => feeCapGwei],
  ]
  const lines = [
    ['', ...chainProfiles.map(({ name }) => `\`${name}\``)],
    ['---', ...chainProfiles.map(() => '---')],
    ...rows.map(([name, of]) => [name, ...chainProfiles.map((profile) => String(of(profile)))]),
  ]
  return lines.map((cells) => `| ${cells.join(' | ')} |`.replace('|  |', '| |')).join('\n')
}
