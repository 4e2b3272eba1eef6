import { applyD1Migrations, reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'

// Files run one after the other in one isolate; none finds what another has stored.
await reset()
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
