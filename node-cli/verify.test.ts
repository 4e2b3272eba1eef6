import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../testing/node/folders.ts'
import { nodectl } from '../testing/node/nodectl.ts'
import { nodectlHere } from '../testing/node/nodectl-here.ts'
import {
  answer,
  answerHere,
  counter,
  echo,
  folder,
  input,
  looping,
  prepareExamples,
  readAnswer,
} from '../testing/node/run-examples.ts'

const endless = path.join(folder, 'endless.hbc')

const { setTimeout: later } = globalThis
/** Ends runs in a thread as soon as they have begun. */
const withoutPatience = ((work: () => void, ms: number) =>
  later(work, ms === 60_000 ? 0 : ms)) as typeof setTimeout

/** The output of an honest run of echo. */
// biome-ignore lint/suspicious/noExplicitAny: The output of the tool, of which the tests change what they like.
let honest: any
beforeAll(prepareExamples)
beforeAll(() => writeFileSync(endless, looping()))
beforeAll(async () => {
  honest = (await answer([echo, 'echo', '--input', input])).json
})

const file = path.join(folder, 'claim.json')
const verifyWith = async (claim: unknown, ...args: string[]) => {
  writeFileSync(file, JSON.stringify(claim))
  return readAnswer(await nodectlHere(['verify', file, ...args]))
}
const verify = (claim: unknown) => verifyWith(claim, echo, '--input', input)
const holds = { code: 0, json: { holds: true, problems: [] } }

describe('verify', () => {
  test('a receipt holds for its run, as the whole output or as the envelope alone', async () => {
    for (const claim of [honest, honest.receipt]) {
      writeFileSync(file, JSON.stringify(claim))
      const said = await nodectlHere(['verify', file, echo, '--input', input])
      expect(readAnswer(said)).toMatchObject(holds)
    }
  })

  test('a receipt holds as the hub shows it: without events and error, which nobody signs', async () => {
    const { events: _events, error: _error, ...receipt } = honest.receipt.receipt
    const shown = (of: object) => ({
      kind: 'execution',
      receipt: { ...honest.receipt, receipt: of },
      rounds: [],
    })
    expect(await verify(shown(receipt))).toMatchObject({
      code: 0,
      json: { holds: true, problems: [], receipt_hash: receipt.receipt_hash },
    })
    const forged = await verify(shown({ ...receipt, events_hash: receipt.input_hash }))
    expect(forged.json.problems).toEqual([
      'receipt_hash is not the hash of the receipt',
      expect.stringMatching(/^events_hash is /),
    ])
  })

  test('a receipt without a signature holds for its run, and the output says that no device signed it', async () => {
    const { receipt, timestamp, ...signer } = honest.receipt
    const unsigned = { receipt, timestamp }
    for (const claim of [unsigned, { kind: 'execution', receipt: unsigned, rounds: [] }])
      expect(await verify(claim)).toEqual({
        code: 0,
        json: { holds: true, problems: [], receipt_hash: receipt.receipt_hash, signed_by: null },
        stderr:
          'No device signed this receipt, because validators ran the task; its hash and the run are compared.\n',
      })
    expect(await verify(honest)).toMatchObject({ json: { signed_by: signer.node_id }, stderr: '' })
    const other = await verifyWith(unsigned, echo, '--input', '{"msg":"ho"}')
    expect([other.code, other.json.problems]).toMatchObject([
      1,
      [expect.stringMatching(/^input_hash/), {}, {}],
    ])
    const forged = await verify({ ...unsigned, receipt: { ...receipt, gas_used: 580 } })
    expect(forged.json.problems).toContain('receipt_hash is not the hash of the receipt')
  })

  test('a part of a signature is refused', async () => {
    const { receipt, timestamp, node_id } = honest.receipt
    expect(await verify({ receipt, timestamp, node_id })).toEqual({
      code: 1,
      json: null,
      stderr:
        `Error: ${file} holds no receipt of the form that nodectl 1.0.0 reads: ` +
        'public_key: This member is required. signature: This member is required.\n',
    })
  })

  test('a run out of gas holds under its own limit', async () => {
    const { json } = await answerHere([echo, 'echo', '--input', input, '--gas', '400'])
    expect((await verify(json)).code).toBe(0)
    // The envelope alone does not tell the limit.
    expect((await verify(json.receipt)).code).toBe(0)
    json.receipt.receipt.error = 'aborted: by hand'
    expect((await verify(json)).json.problems).toEqual(['error is "out of gas" here, not "aborted: by hand"'])
  })

  test('a receipt of a run that only gas ends is checked without a run that takes longer than a run may', async () => {
    const clock = vi.spyOn(globalThis, 'setTimeout').mockImplementation(withoutPatience)
    onTestFinished(() => clock.mockRestore())
    const { json } = await answerHere([endless, 'echo', '--gas', '400'])
    expect(json.receipt.receipt).toMatchObject({ gas_used: 400, error: 'out of gas' })
    expect(await verifyWith(json.receipt, endless)).toMatchObject(holds)
    json.receipt.receipt.error = 'aborted: by hand'
    expect(await verifyWith(json.receipt, endless)).toMatchObject({
      code: 1,
      json: { problems: ['error is "out of gas" here, not "aborted: by hand"'] },
    })
  })

  test('names everything that differs', async () => {
    expect(await verifyWith(honest, echo, '--input', '{"msg":"ho"}')).toMatchObject({
      code: 1,
      json: {
        holds: false,
        problems: [
          expect.stringMatching(/^input_hash/),
          expect.stringMatching(/^output_hash/),
          expect.stringMatching(/^events_hash/),
          expect.stringMatching(/^output beside the receipt/),
        ],
      },
    })
    const other = await verifyWith(honest, counter, '--input', input)
    expect(other.json.problems[0]).toContain('is about the module')
    const forged = structuredClone(honest)
    forged.receipt.receipt.gas_used = 580
    expect((await verify(forged)).json.problems).toEqual([
      'receipt_hash is not the hash of the receipt',
      'gas_used is 581 here, not 580',
    ])
  })

  test('says what it cannot read in a receipt of another form', async () => {
    const { receipt_hash, error: _, events, ...receipt } = honest.receipt.receipt
    expect(await verify({ ...honest.receipt, receipt, receipt_hash, events })).toEqual({
      code: 1,
      json: null,
      stderr:
        `Error: ${file} holds no receipt of the form that nodectl 1.0.0 reads: receipt_hash: Unknown field; ` +
        'remove it. events: Unknown field; remove it. receipt.receipt_hash: This member is required.\n',
    })
    const newer = { ...honest.receipt.receipt, v: 2, gas_used: '5' }
    expect((await verify({ ...honest.receipt, receipt: newer })).stderr).toMatch(
      /reads: receipt\.v: Must be 1\. receipt\.gas_used: A whole number\.\n$/,
    )
  })

  test('the members beside the receipt must be true as well', async () => {
    const problemsOf = async (claim: object) => (await verify(claim)).json.problems
    expect(await problemsOf({ ...honest, output: 'other' })).toEqual([
      `output beside the receipt is ${JSON.stringify(input)} here, not "other"`,
    ])
    expect(await problemsOf({ ...honest, error: 'out of gas' })).toEqual([
      'error beside the receipt is null here, not "out of gas"',
    ])
    const { receipt } = honest.receipt
    expect(await problemsOf({ ...honest.receipt, receipt: { ...receipt, note: 'paid', more: 1 } })).toEqual([
      'the receipt has members that nobody signed: note, more',
    ])
    expect(await problemsOf({ ...honest.receipt, receipt: { ...receipt, function: 'other' } })).toEqual([
      'receipt_hash is not the hash of the receipt',
      'the module does not export the function other',
    ])
  })

  test('a run that needs missing state differs, and the output says why', async () => {
    const increment = [counter, 'increment', '--data-dir', path.join(temporaryFolder(), 'node')]
    expect((await verifyWith((await answerHere(increment)).json, counter)).code).toBe(0)
    const { code, json } = await verifyWith((await answerHere(increment)).json, counter)
    expect([code, json.holds]).toEqual([1, false])
    expect(json.problems).toContain('output beside the receipt is "1" here, not "2"')
    expect(json.problems.at(-1)).toMatch(/uses storage or other modules/)
  })

  test('a file that is not JSON is an error of one line that names the file', async () => {
    const text = new TextEncoder().encode('# Words\n')
    const words = path.join(folder, 'words.md')
    writeFileSync(words, text)
    const refused = (name: string) => `Error: ${name} holds no receipt: this is not a JSON document\n`
    expect(await nodectlHere(['verify', words, echo])).toEqual({
      code: 1,
      stdout: '',
      stderr: refused(words),
    })
    const piped = await nodectl(['verify', '-', echo], { input: text })
    expect(piped.stderr).toBe(refused('standard input'))
  })

  test('a file that is not a receipt is an error of one line', async () => {
    expect(await verify({ a: 1 })).toEqual({
      code: 1,
      json: null,
      stderr: `Error: ${file} holds no receipt; it must be the output of nodectl run, the answer of a hub about a receipt, or a receipt alone\n`,
    })
  })
})
