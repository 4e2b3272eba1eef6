import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { manifestTexts } from '../texts/manifest.ts'
import { differencesOf } from './differences.ts'
import { memberName, memberValue, picturesIn } from './words.ts'

const token = { address: '0x', symbol: 'HUB', name: 'Hub', decimals: 18 }

test('every member of the example manifest has a readable name', () => {
  const manifest: unknown = JSON.parse(readFileSync('examples/project/manifest.json', 'utf8'))
  const unnamed = differencesOf(null, manifest).filter(({ path }) => !manifestTexts.members[path.join('.')])
  expect(unnamed).toEqual([])
  expect(memberName(['consensus', 'economics', 'fee_split_bp', 'miner'])).toBe('Share of the devices')
  expect(memberName(['of', 'later_rules'])).toBe('Of › Later rules')
})

test.each([
  ['consensus.economics.fee_split_bp.miner', '8000', '80 %'],
  ['scheduling.sla.min_uptime_bp', '9000', '90 %'],
  ['consensus.work.epoch_secs', '3600', '1 h (3,600 s)'],
  ['consensus.work.lease_secs', '30', '30 s'],
  ['consensus.work.max_gas_limit', '100000000', '100,000,000'],
  ['consensus.economics.min_collateral', '1000000000000000000', '1 HUB (1000000000000000000)'],
  ['chain_id', '31337', '31337'],
  ['listing.name', '8000 things', '8000 things'],
  ['consensus.economics.max_units_per_epoch', '9'.repeat(30), '9'.repeat(30)],
])('%s %s is shown as %s', (path, text, shown) => {
  expect(memberValue(path.split('.'), text, token)).toBe(shown)
})

test.each([
  [{ listing: { icon: 'https://a/1', banner: null } }, ['https://a/1']],
  [
    { listing: { screenshots: ['https://a/1', 'https://a/2'], website: 'https://a/3' } },
    ['https://a/1', 'https://a/2'],
  ],
])('the pictures of %j are found', (manifest, pictures) => {
  expect(differencesOf(null, manifest).flatMap(({ path, after }) => picturesIn(path, after ?? ''))).toEqual(
    pictures,
  )
})
