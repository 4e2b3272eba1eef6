const width = 100
let steps = 0

/** Begins a step of the demo. */
export const step = (title: string): void => {
  steps += 1
  console.log(`\n${steps}. ${title}`)
}

export const show = (mark: string, text: string): void => {
  for (const line of text.split('\n')) console.log(`   ${mark} ${line}`)
}

/** Fits a text into a line; ids and hashes keep their ends. */
export const shorten = (text: string): string => {
  const abbreviated = text.replace(/0x([0-9a-f]{6})[0-9a-f]{30,}([0-9a-f]{4})/g, '0x$1…$2')
  return abbreviated.length <= width ? abbreviated : `${abbreviated.slice(0, width - 1)}…`
}

const telling = ['listing_status', 'status', 'collateral', 'payout_address', 'release_at', 'tx_hash']

/** What a record says of its state, in one line. */
export const gist = (record: object): string =>
  Object.entries(record)
    .filter(([name, value]) => telling.includes(name) && value !== null)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
