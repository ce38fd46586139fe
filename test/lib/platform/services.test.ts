import { describe, expect, it } from 'vitest'
import { parseNodeConfig } from '#platform/node/settings.ts'
import { sampleSettings } from '#test/support/settings.ts'
import { noAnalytics } from '#vendors/analytics/analytics.ts'
import { createSharedPorts } from '#vendors/shared-ports.ts'

describe('the ports of the settings', () => {
  const open = (changes: Record<string, string | undefined>) =>
    createSharedPorts(parseNodeConfig({ ...sampleSettings, OBJECTS_DIR: 'x', ...changes }))
  it.each([
    [{ GOOGLE_CLIENT_ID: 'g', MICROSOFT_CLIENT_ID: 'm' }, ['google', 'microsoft']],
    [{ GOOGLE_CLIENT_ID: 'g', MICROSOFT_CLIENT_ID: undefined }, ['google']],
    [{ GOOGLE_CLIENT_ID: undefined, MICROSOFT_CLIENT_ID: 'm' }, ['microsoft']],
    [{ GOOGLE_CLIENT_ID: undefined, MICROSOFT_CLIENT_ID: undefined }, []],
  ])('have the identity providers with a client id: %j', (changes, names) =>
    expect(Object.keys(open(changes).identity)).toEqual(names),
  )
  it.each([
    [{ ANALYTICS_URL: 'https://ph.example', ANALYTICS_KEY: 'k' }, false],
    [{ ANALYTICS_URL: 'https://ph.example', ANALYTICS_KEY: undefined }, true],
    [{ ANALYTICS_URL: undefined, ANALYTICS_KEY: 'k' }, true],
  ])('send no events for analytics without an address and a key: %j', (changes, isSilent) =>
    expect(open(changes).analytics === noAnalytics).toBe(isSilent),
  )
  it.each([
    [{ OPENAI_API_KEY: 'k', AI_FALLBACK_API_KEY: undefined }, [true, undefined]],
    [{ OPENAI_API_KEY: 'k', AI_FALLBACK_API_KEY: 'f', AI_FALLBACK_MODEL: 'second' }, [true, 'second']],
    [{ OPENAI_API_KEY: undefined, AI_FALLBACK_API_KEY: undefined }, [false, undefined]],
  ])('AIM-13 have a second AI provider with its key: %j', (changes, expected) => {
    const { ai } = open(changes)
    expect([ai.isConfigured, ai.fallback?.ai.model]).toEqual(expected)
    expect(ai.fallback?.circuit.isFailing).toBe(expected[1] && false)
  })
  it.each([
    [{ OPENAI_API_KEY: 'k', AI_EMBEDDING_MODEL: 'e' }, true],
    [{ OPENAI_API_KEY: 'k', AI_EMBEDDING_MODEL: undefined }, false],
    [{ OPENAI_API_KEY: undefined, AI_EMBEDDING_MODEL: 'e' }, false],
  ])('EMB-13 embed with a key and a model for it: %j', (changes, isConfigured) =>
    expect(open(changes).embeddings.isConfigured).toBe(isConfigured),
  )
  it('call no address of the service itself', async () => {
    const { guard } = open({
      PUBLIC_BASE_URL: 'https://api.example.com',
      FRONTEND_URL: 'https://app.example.com',
      OUTBOUND_PORTS: '443',
    })
    for (const url of ['https://api.example.com/x', 'https://app.example.com/'])
      expect(await guard.findRefusal(url, 'saving')).toBe('must not lead to this service')
  })
})
