import { expect, it } from 'vitest'
import { modelName } from '#local/model/model.ts'
import { plainModelName } from '#local/vendors/openai/openai-models.ts'
import { wireFormats } from '#local/vendors/openai/wire-formats.ts'
import { secrets, startTestServer } from '#test/local/test-server.ts'
import { createAiSession } from '#test/support/ai.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { entries } from '#test/support/night.ts'
import { createAccount } from '#test/support/people.ts'

it.each(entries)(
  'AIM-13 AIM-14 on %s a switched-off provider is asked in one of three turns',
  async (platform) => {
    const second = await startTestServer()
    const settings = {
      AI_FALLBACK_API_KEY: secrets.openaiKey,
      AI_FALLBACK_BASE_URL: `${second.origin}/openai${wireFormats.ollama.path}`,
      AI_FALLBACK_MODEL: plainModelName,
    }
    const service = await startOwnService(settings, { platform })
    const { admin, id } = await createAccount(service)
    const session = await createAiSession(admin)
    await dashboard(service).setFault({ service: 'openai', mode: 'gone' })
    for (const message of ['It is offline.', 'Still.', 'And now?'])
      expectStatus(await admin.call('POST', `/ai-sessions/${session.id}/chat`, { message }), 200)
    const calls = await service.sql('select model, outcome from ai_calls where account_id = $1 order by id', [
      id,
    ])
    const answered = { model: plainModelName, outcome: 'answered' }
    expect(calls).toEqual([{ model: modelName, outcome: 'rejected' }, answered, answered, answered])
    await service.close()
  },
)
