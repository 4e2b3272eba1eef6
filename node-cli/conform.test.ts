import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { knownRuns, probeFunctions, probeGasLimit, probeInput, probeWasm } from '../conformance/node/probe.ts'
import { utf8 } from '../protocol/encoding/index.ts'
import { nodectlHere } from '../testing/node/nodectl-here.ts'
import { engines } from './src/engine/engines.ts'
import { emptyState } from './src/engine/execution.ts'
import { executeOn } from './src/engine/host/call.ts'
import { assemble, requestOf, text } from './src/engine/testing/guests.ts'

test('the text of the probe compiles to its bytes', () => {
  expect(new Uint8Array(assemble(readFileSync('conformance/node/probe.wat', 'utf8')))).toEqual(
    new Uint8Array(probeWasm),
  )
})

test.each(['native', 'pulley'] as const)('its known runs match the engine %s', (engine) => {
  const runs = probeFunctions.map((name, functionId) => {
    const request = { functionId, input: utf8(probeInput), gasLimit: probeGasLimit }
    const ran = executeOn(engines[engine], requestOf(probeWasm, request), emptyState)
    const { success, output, events, gasUsed } = ran
    return [name, { success, output: text(output) ?? '', events, gas_used: gasUsed }]
  })
  expect(Object.fromEntries(runs)).toEqual(knownRuns)
})

/** Runs the known answers of the engine on the interpreter of the example, and prints what it has not. */
const program = `
import json, sys
sys.path[:0] = ['examples/python-node', 'examples/python']
sys.setrecursionlimit(100000)
from execute import execute
from module import Module
from operators import Unsupported
counts = {'right': 0, 'unsupported': 0, 'wrong': []}
for name in ('kernels', 'operators', 'random-modules', 'rules'):
    file = json.load(open(f'node-cli/src/engine/vectors/{name}.json'))
    for topic in (file.get('topics') or {name: file['cases']}).values():
        for case in (one for one in topic if 'wasm_hex' in one):
            for run in case.get('runs') or [case]:
                expected = run['expect']
                if expected['gas_used'] > 100000:
                    continue
                try:
                    call = case['call']
                    ran = execute(Module(bytes.fromhex(case['wasm_hex'])), call['func_id'], call['input_utf8'].encode(), run['gas_limit'])
                except Unsupported:
                    counts['unsupported'] += 1
                    continue
                same = (ran['success'], ran['gas_used']) == (expected['success'], expected['gas_used'])
                if same and (not ran['success'] or ran['output'].decode() == expected['output_utf8']):
                    counts['right'] += 1
                else:
                    counts['wrong'].append(case['name'])
print(json.dumps(counts))
`

test('the interpreter in Python gives the gas and the outputs of all known answers that it can run', () => {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' }
  const said = JSON.parse(execFileSync('python3', ['-c', program], { env, encoding: 'utf8' }))
  expect(said).toEqual({ right: said.right, unsupported: expect.any(Number), wrong: [] })
  expect(said.right).toBeGreaterThan(150)
})

test.each([
  [['conform', 'node'], 2, /the command that starts the node is missing/],
  [['conform', 'validator'], 2, /the command that starts the validator is missing/],
  [['conform', 'nodes'], 2, /did you mean node/],
  [['conform', 'node', '--format', 'html', '--', 'true'], 2, /unknown format html/],
  [['conform', 'hub', '--hub-url', 'http://localhost:9', '--project', 'echo'], 2, /belong together/],
])('%j is refused', async (args, code, problem) => {
  expect(await nodectlHere(args)).toEqual({ code, stdout: '', stderr: expect.stringMatching(problem) })
})
