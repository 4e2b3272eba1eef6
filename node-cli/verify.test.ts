import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { nodectl, temporaryFolder } from '../testing/node/nodectl.ts'
import { counter, echo, folder, input, prepareExamples } from '../testing/node/run-examples.ts'

beforeAll(prepareExamples)

describe('verify', () => {
  const runToFile = async (name: string, args: string[]) => {
    const { stdout } = await nodectl(['run', ...args])
    const file = path.join(folder, name)
    writeFileSync(file, stdout)
    return file
  }
  const verify = async (...args: string[]) => {
    const { code, stdout, stderr } = await nodectl(['verify', ...args])
    return { code, stderr, json: stdout === '' ? null : JSON.parse(stdout) }
  }

  test('a receipt holds for what was run, as the whole output or the envelope alone', async () => {
    const whole = await runToFile('whole.json', [echo, 'echo', '--input', input])
    expect(await verify(whole, echo, '--input', input)).toMatchObject({
      code: 0,
      json: { holds: true, problems: [] },
    })
    const alone = path.join(folder, 'alone.json')
    writeFileSync(alone, JSON.stringify(JSON.parse(readFileSync(whole, 'utf8')).receipt))
    expect((await verify(alone, echo, '--input', input)).code).toBe(0)
  })

  test('a receipt holds as the hub shows it: without events and error, which nobody signs', async () => {
    const file = await runToFile('shown.json', [echo, 'echo', '--input', input])
    const {
      events: _events,
      error: _error,
      ...receipt
    } = JSON.parse(readFileSync(file, 'utf8')).receipt.receipt
    const envelope = { ...JSON.parse(readFileSync(file, 'utf8')).receipt, receipt }
    const show = (of: object) =>
      writeFileSync(file, JSON.stringify({ kind: 'execution', receipt: of, rounds: [] }))
    show(envelope)
    expect(await verify(file, echo, '--input', input)).toMatchObject({
      code: 0,
      json: { holds: true, problems: [], receipt_hash: receipt.receipt_hash },
    })
    show({ ...envelope, receipt: { ...receipt, events_hash: receipt.input_hash } })
    expect((await verify(file, echo, '--input', input)).json.problems).toEqual([
      'receipt_hash is not the hash of the receipt',
      expect.stringMatching(/^events_hash is /),
    ])
  })

  test('a run out of gas holds under its own limit', async () => {
    const file = await runToFile('poor.json', [echo, 'echo', '--input', input, '--gas', '400'])
    expect((await verify(file, echo, '--input', input)).code).toBe(0)
    // The envelope alone does not tell the limit.
    const alone = path.join(folder, 'poor-alone.json')
    writeFileSync(alone, JSON.stringify(JSON.parse(readFileSync(file, 'utf8')).receipt))
    expect((await verify(alone, echo, '--input', input)).code).toBe(0)
  })

  test('names everything that differs', async () => {
    const file = await runToFile('other.json', [echo, 'echo', '--input', input])
    expect(await verify(file, echo, '--input', '{"msg":"ho"}')).toMatchObject({
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
    expect((await verify(file, counter, '--input', input)).json.problems[0]).toContain('is about the module')

    const forged = JSON.parse(readFileSync(file, 'utf8'))
    forged.receipt.receipt.gas_used = 580
    const forgedFile = path.join(folder, 'forged.json')
    writeFileSync(forgedFile, JSON.stringify(forged))
    expect((await verify(forgedFile, echo, '--input', input)).json.problems).toEqual([
      'receipt_hash is not the hash of the receipt',
      'gas_used is 581 here, not 580',
    ])

    const failed = JSON.parse(
      readFileSync(await runToFile('failed.json', [echo, 'echo', '--input', input, '--gas', '5']), 'utf8'),
    )
    failed.receipt.receipt.error = 'aborted: by hand'
    writeFileSync(forgedFile, JSON.stringify(failed))
    expect((await verify(forgedFile, echo, '--input', input)).json.problems).toEqual([
      'error is "out of gas" here, not "aborted: by hand"',
    ])
  })

  test('says what it cannot read of a receipt of another form', async () => {
    const { receipt: envelope } = JSON.parse(
      readFileSync(await runToFile('form.json', [echo, 'echo', '--input', input]), 'utf8'),
    )
    const { receipt_hash, error: _, events, ...receipt } = envelope.receipt
    const file = path.join(folder, 'other-form.json')
    writeFileSync(file, JSON.stringify({ ...envelope, receipt, receipt_hash, events }))
    expect(await verify(file, echo, '--input', input)).toEqual({
      code: 1,
      json: null,
      stderr:
        `Error: ${file} holds no receipt of the form that nodectl 1.0.0 reads: receipt_hash: Unknown field; ` +
        'remove it. events: Unknown field; remove it. receipt.receipt_hash: This member is required.\n',
    })
    writeFileSync(
      file,
      JSON.stringify({ ...envelope, receipt: { ...envelope.receipt, v: 2, gas_used: '5' } }),
    )
    expect((await verify(file, echo)).stderr).toMatch(
      /reads: receipt\.v: Must be 1\. receipt\.gas_used: A whole number\.\n$/,
    )
  })

  test('what stands beside the receipt must be true as well', async () => {
    const honest = JSON.parse(
      readFileSync(await runToFile('honest.json', [echo, 'echo', '--input', input]), 'utf8'),
    )
    const file = path.join(folder, 'beside.json')
    const problemsOf = async (claim: object) => {
      writeFileSync(file, JSON.stringify(claim))
      return (await verify(file, echo, '--input', input)).json.problems
    }
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

  test('a run on state that is not here differs, and it says why', async () => {
    const dir = path.join(temporaryFolder(), 'node')
    const first = await runToFile('first.json', [counter, 'increment', '--data-dir', dir])
    expect((await verify(first, counter)).code).toBe(0)
    const second = await runToFile('second.json', [counter, 'increment', '--data-dir', dir])
    const { code, json } = await verify(second, counter)
    expect([code, json.holds]).toEqual([1, false])
    expect(json.problems).toContain('output beside the receipt is "1" here, not "2"')
    expect(json.problems.at(-1)).toMatch(/uses storage or other modules/)
  })

  test('what is no JSON is one line that names the file', async () => {
    const text = new TextEncoder().encode('# Words\n')
    const file = path.join(folder, 'words.md')
    writeFileSync(file, text)
    const refused = (name: string) => `Error: ${name} holds no receipt: this is not a JSON document\n`
    expect(await nodectl(['verify', file, echo])).toEqual({ code: 1, stdout: '', stderr: refused(file) })
    const piped = await nodectl(['verify', '-', echo], { input: text })
    expect(piped.stderr).toBe(refused('standard input'))
  })

  test('what is no receipt is one line', async () => {
    const file = path.join(folder, 'none.json')
    writeFileSync(file, '{"a":1}')
    expect(await verify(file, echo)).toMatchObject({
      code: 1,
      json: null,
      stderr: `Error: ${file} holds no receipt; it must be what nodectl run prints, what a hub says of a receipt, or the receipt in it\n`,
    })
  })
})
