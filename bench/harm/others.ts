/** What people do who use the hub meanwhile, each at an address of their own. */
import type { Call } from './calls.ts'

export interface Person {
  address: string
  token: string
}

type Habit = (token: string, projectId: string) => Omit<Call, 'name'>

const signed = (token: string) => ({ Authorization: `Bearer ${token}` })

const habits: readonly Habit[] = [
  () => ({ method: 'GET', path: '/v1/projects' }),
  () => ({ method: 'GET', path: '/v1/projects?q=echo' }),
  (_, projectId) => ({ method: 'GET', path: `/v1/projects/${projectId}` }),
  (token) => ({ method: 'GET', path: '/v1/me/preferences', headers: signed(token) }),
  (token) => ({ method: 'GET', path: '/v1/me/subscriptions', headers: signed(token) }),
  (token) => ({
    method: 'PUT',
    path: '/v1/me/preferences',
    headers: signed(token),
    json: { display_name: 'Ada' },
  }),
]

/** The next call of the people, who take turns. */
export function takeTurns(people: readonly Person[], projectId: string) {
  let turn = 0
  return () => {
    const person = people[turn % people.length] as Person
    const habit = habits[Math.floor(turn / people.length) % habits.length] as Habit
    turn += 1
    return { call: { name: 'other', ...habit(person.token, projectId) }, address: person.address }
  }
}
