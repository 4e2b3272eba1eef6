import type { Finding } from './findings.ts'

export const formats = ['tap', 'junit', 'json'] as const
export type Format = (typeof formats)[number]

const nameOf = ({ clause }: Finding): string =>
  `${clause.number} ${clause.sentence} (section ${clause.section})`

/** The Test Anything Protocol, version 14. An unseen clause is skipped. */
function tap(findings: readonly Finding[]): string {
  const lines = findings.map((finding, index) => {
    const result = finding.state === 'broken' ? 'not ok' : 'ok'
    const directive = finding.state === 'unseen' ? ' # SKIP the run did not test it' : ''
    const problems = finding.problems.map((problem) => `    - ${JSON.stringify(problem)}\n`).join('')
    const block = problems === '' ? '' : `  ---\n  problems:\n${problems}  ...\n`
    return `${result} ${index + 1} - ${nameOf(finding)}${directive}\n${block}`
  })
  return `TAP version 14\n1..${findings.length}\n${lines.join('')}`
}

const xml = (text: string): string =>
  text
    // XML has no way to write these.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: They are what is replaced.
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')

function junit(findings: readonly Finding[]): string {
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length
  const cases = findings.map((finding) => {
    const [first, ...others] = finding.problems.map(xml)
    const inner =
      finding.state === 'unseen'
        ? '<skipped/>'
        : first === undefined
          ? ''
          : `<failure message="${first}">${others.join('\n')}</failure>`
    return `  <testcase classname="${finding.clause.number}" name="${xml(nameOf(finding))}">${inner}</testcase>\n`
  })
  const counts = `tests="${findings.length}" failures="${count('broken')}" skipped="${count('unseen')}"`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="conformance" ${counts}>\n${cases.join('')}</testsuite>\n`
}

const json = (findings: readonly Finding[]): string =>
  `${JSON.stringify({
    conforms: findings.every(({ state }) => state !== 'broken'),
    clauses: findings.map(({ clause, state, problems }) => ({ ...clause, state, problems })),
  })}\n`

const writers = { tap, junit, json }

/** Writes findings, one line or element per clause. */
export const report = (findings: readonly Finding[], format: Format): string => writers[format](findings)
