import { expect, test } from 'vitest'
import { defaultNetworkParams } from '../identity/index.ts'
import { askedSeconds, settlementTimeProblems } from './settlement-times.ts'

test('the default parameters of the network have no conflict', () => {
  expect(settlementTimeProblems(defaultNetworkParams)).toEqual([])
})

test.each([
  [{ settle: 370 }, {}, []],
  [{ settle: 371 }, {}, [/^settle is 371, and must be at most 370.*round_secs.*finality/]],
  [{}, { asked: askedSeconds + 1 }, [/asked for 301 s, and must be asked for at most 300: finality/]],
  [{ attempt_secs: 2_848 }, {}, []],
  [{ attempt_secs: 2_849 }, {}, [/^settle, round_secs, finality and 30 attempts/, /^The notice/]],
  [{ vault_challenge_secs: 959 }, {}, [/^vault_challenge_secs is 959.*beacon_offset_secs \(960\)/]],
  [{}, { withdrawalNotice: 90_959 }, [/^The notice of a withdrawal is 90959 s, .* 90960/]],
  [{}, { withdrawalNotice: 90_960 }, []],
  [{}, { posting: 4_559 }, [/at most 4559, the time for which a vault reserves/]],
])('%j with %j: each problem is reported', (params, times, problems) => {
  const found = settlementTimeProblems({ ...defaultNetworkParams, ...params }, times)
  expect(found).toEqual(problems.map((problem) => expect.stringMatching(problem)))
})

test('all problems are reported at once', () => {
  const params = { ...defaultNetworkParams, settle: 500, vault_challenge_secs: 60 }
  expect(settlementTimeProblems(params)).toHaveLength(2)
})
