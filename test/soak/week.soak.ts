import { afterAll, beforeAll, describe, it } from 'vitest'
import { type OwnService, startOwnService } from '#test/support/app.ts'
import { chooseSeed } from './random.ts'
import { playWeek } from './week-play.ts'

describe.each(['node', 'cloudflare'] as const)('the week of a service desk on %s', (platform) => {
  let service: OwnService
  beforeAll(async () => {
    service = await startOwnService({}, { platform })
  }, 300_000)
  afterAll(() => service.close())

  it('leaves nothing that waits for nobody, books each hour once and counts what happened', async () => {
    const seed = chooseSeed()
    console.log(`week on ${platform}: SOAK_SEED=${seed}`)
    const { acts } = await playWeek(service, seed)
    console.log(
      [...acts]
        .sort()
        .map(([name, count]) => `${count} × ${name}`)
        .join('\n'),
    )
  })
})
