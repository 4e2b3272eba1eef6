import { expect, test } from 'vitest'
import { hashText } from '../encoding/index.ts'
import { resolveProfile } from '../identity/index.ts'
import { attestSnapshot, countAttestations, isAttested, snapshotText } from './index.ts'

const profile = resolveProfile()
const setHash = hashText('a set')
const signed = ['one', 'two', 'three', 'four'].map((name) => attestSnapshot(profile, hashText(name), setHash))
const validators = signed.map(({ public_key }) => public_key)

test('two signatures of one key count once, even if they differ and both verify', () => {
  const [one, two] = signed as [(typeof signed)[number], (typeof signed)[number]]
  // A signer may make as many valid signatures over one text as it likes; the library makes only one of them.
  const again = { ...one, signature: `0x${'22'.repeat(64)}` }
  const text = snapshotText(profile, setHash)
  const everyOneVerifies = () => true
  expect(countAttestations(profile, text, [one, one, two], validators)).toBe(2)
  expect(countAttestations(profile, text, [one, again, two], validators, everyOneVerifies)).toBe(2)
  expect(isAttested(profile, text, [one, again, two], validators, everyOneVerifies)).toBe(false)
  expect(isAttested(profile, text, signed.slice(1), validators)).toBe(true)
})
