import { afterAll, vi } from 'vitest'
import '../../testing/wait-patiently.ts'
import { keepProcess } from './kept-process.ts'

// Files run one after the other in one process; none finds the time, the environment or the folder of another.
const putBack = keepProcess()
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  putBack()
})
