import { expect, test } from 'vitest'
import { aboutOf } from './about.ts'

const project_id = `0x${'ab'.repeat(32)}`
const hash = `0x${'cd'.repeat(32)}`
const hrefs = (told: Parameters<typeof aboutOf>[0]) => aboutOf(told).map(({ href }) => href)

test('a notification links to each record that it names', () => {
  const node_id = 'node-0123456789abcdef'
  expect(hrefs({ type: 'device.offline', node_id })).toEqual([`/nodes/${node_id}`])
  expect(hrefs({ type: 'slash.proposed', project_id, node_id, data: { evidence_hash: hash } })).toEqual([
    `/slashes/${hash}`,
    `/nodes/${node_id}`,
    `/projects/${project_id}`,
  ])
  expect(hrefs({ type: 'withdrawal.completed', tx_hash: hash })).toEqual(['/me?part=earnings', `/tx/${hash}`])
  expect(hrefs({ type: 'project.paused', project_id, round_id: `task:${hash}` })).toEqual([
    `/projects/${project_id}`,
    `/rounds/task%3A${hash}`,
  ])
})

test('a notification for a developer links to the private page of the project', () => {
  expect(hrefs({ type: 'listing.rejected', project_id })).toEqual([`/build/projects/${project_id}`])
})

test('a notification of a slash without its record links to the list of slashes', () => {
  expect(hrefs({ type: 'slash.disputed', data: null })).toEqual(['/me?part=slashes'])
  expect(hrefs({ type: 'hub.alarm', data: { message: 'x' } })).toEqual([])
})
