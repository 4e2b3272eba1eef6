import { env } from 'cloudflare:workers'
import { services } from '../services.ts'

/** The time that the hub of these tests dates by, which may be ahead of the machine's; Unix seconds. */
export const networkNow = (): Promise<number> => services(env).clock.now()
