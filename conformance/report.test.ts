import { expect, test } from 'vitest'
import { Findings, numbersOf } from './findings.ts'
import { report } from './report.ts'

const clauses = [
  { number: 'N1.1', section: 10, sentence: 'Every request is signed' },
  { number: 'N1.2', section: 27, sentence: 'A node says "ready" & waits' },
  { number: 'N1.3', section: 27, sentence: 'A node stays' },
]

/** One clause is kept, one is broken four times, and nothing is seen of the last. */
function found() {
  const findings = new Findings(clauses)
  findings.require('N1.1', true, 'it was not')
  for (const problem of ['the frame is <\u0000>', 'the frame is <\u0000>', 'second', 'third', 'fourth'])
    findings.note('N1.2', problem)
  findings.note('N1.2', null)
  return findings.all()
}

test('a broken clause stays broken, and keeps its first problems', () => {
  expect(found().map(({ state }) => state)).toEqual(['kept', 'broken', 'unseen'])
  expect(numbersOf(found(), 'broken')).toEqual(['N1.2'])
  expect(found()[1]?.problems).toEqual(['the frame is <\u0000>', 'second', 'third'])
  expect(() => new Findings(clauses).note('N9.9', null)).toThrowError('N9.9')
})

test('TAP has a line for each clause, with its number', () => {
  expect(report(found(), 'tap')).toBe(`TAP version 14
1..3
ok 1 - N1.1 Every request is signed (section 10)
not ok 2 - N1.2 A node says "ready" & waits (section 27)
  ---
  problems:
    - "the frame is <\\u0000>"
    - "second"
    - "third"
  ...
ok 3 - N1.3 A node stays (section 27) # SKIP the run did not test it
`)
})

test('JUnit has a test case for each clause, in valid XML', () => {
  expect(report(found(), 'junit')).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="conformance" tests="3" failures="1" skipped="1">
  <testcase classname="N1.1" name="N1.1 Every request is signed (section 10)"></testcase>
  <testcase classname="N1.2" name="N1.2 A node says &quot;ready&quot; &amp; waits (section 27)"><failure message="the frame is &lt;\ufffd>">second
third</failure></testcase>
  <testcase classname="N1.3" name="N1.3 A node stays (section 27)"><skipped/></testcase>
</testsuite>
`)
})

test('JSON says whether the node conforms, and lists the clauses', () => {
  expect(JSON.parse(report(found(), 'json'))).toMatchObject({
    conforms: false,
    clauses: [{ number: 'N1.1', state: 'kept' }, { state: 'broken' }, { state: 'unseen', problems: [] }],
  })
})
