import { amount, duration, number } from '../format.ts'
import type { Token } from '../hub.ts'
import { manifestTexts as t } from '../texts/manifest.ts'
import { stateWord } from '../texts/words.ts'

type Path = readonly string[]

const amounts = ['min_collateral', 'reward_per_unit', 'daily_emission']
const minuteSecs = 60

export const memberName = (path: Path): string => t.members[path.join('.')] ?? path.map(stateWord).join(' › ')

/** The signed value in readable form; amounts and long times have the signed number beside it. */
export function memberValue(path: Path, text: string, token: Token | null): string {
  const name = path.at(-1) ?? ''
  if (!/^\d+$/.test(text)) return text
  if (amounts.includes(name))
    return token === null ? text : `${amount(text, token.decimals)} ${token.symbol} (${text})`
  const value = Number(text)
  if (!Number.isSafeInteger(value) || path.join('.') === 'chain_id') return text
  if (name.endsWith('_bp') || /_bp$/.test(path.at(-2) ?? '')) return `${number(value / 100)} %`
  if (name.endsWith('_secs'))
    return value < minuteSecs ? t.few(number(value)) : t.seconds(duration(value), number(value))
  return number(value)
}

const pictures = ['listing.icon', 'listing.banner', 'listing.screenshots']

/** Addresses of pictures in a member of a signed manifest, to be shown beside it. */
export const picturesIn = (path: Path, text: string): string[] =>
  pictures.includes(path.join('.')) && text !== '' ? text.split(', ') : []
