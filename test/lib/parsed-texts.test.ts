import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

// What parses JSON without counting its parts, and why that is safe. A text from outside goes through `readJson`,
// `parseJson` or `parseAnswer`.
const reasons: Record<string, string> = {
  'lib/config.ts': 'settings of the operator',
  'lib/db/page.ts': 'a cursor, at most 4 KB',
  'lib/http/openapi/components.ts': 'what this program wrote',
  'lib/http/response.ts': 'what this program wrote',
  'lib/http/selected-fields.ts': 'what this program wrote',
  'lib/platform/cloudflare/hub.ts': 'what this program wrote',
  'lib/platform/node/files.ts': 'what this program wrote',
  'lib/platform/node/memory-cache.ts': 'what this program wrote',
  'lib/platform/node/streams-in-redis.ts': 'what this program wrote',
  'lib/rules/ai/json-field-stream.ts': 'one text',
  'lib/rules/ai/prices.ts': 'settings of the operator',
  'lib/rules/pdf/fonts.ts': 'fonts that ship',
  'lib/rules/text/json.ts': 'counts first',
  'lib/vendors/ai/lookups.ts': 'arguments of a tool, whose length is bounded',
  'lib/vendors/auth/passkeys.ts': 'a field of a body of 16 KiB',
  'lib/vendors/mcp/client.ts': 'what this program wrote, of at most 512 KB and 32 levels',
  'lib/vendors/psa/connection.ts': 'what this program sealed',
  'lib/vendors/runner/sealed-key.ts': 'what this program sealed',
  'lib/vendors/web-push/sealed-subscription.ts': 'what this program sealed',
  'functions/accounts/import-slices/service.ts': 'counted before it by its length',
  'functions/mcp/mcp-server.ts': 'our own answer to the call of a tool',
  'functions/notifications/notifications/service.ts': 'what this program wrote',
  'functions/scim/filter.ts': 'one value of a filter of 2,000 characters',
  'functions/sessions/records/service.ts': 'what this program wrote',
  'functions/webhooks/attempts/service.ts': 'what this program wrote',
}

it('WIR-88 every text from outside is counted before it is parsed', async () => {
  const places = new Set<string>()
  for (const folder of ['functions', 'lib'])
    for (const file of await readdir(folder, { recursive: true })) {
      const path = `${folder}/${file}`
      if (!file.endsWith('.ts') || /^lib\/(?:local|client|ops)\//.test(path)) continue
      const source = await readFile(path, 'utf8')
      if (/\bJSON\.parse\(|\b(?:response|answer|request)\.json\(\)/.test(source)) places.add(path)
    }
  expect([...places].sort()).toEqual(Object.keys(reasons).sort())
})
