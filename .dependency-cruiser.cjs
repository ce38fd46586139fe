// The import rules of CONTRIBUTING.md. `npm run check` enforces them, and test/contract/import-rules.test.ts
// breaks each of them once.

// The floors, from the top. A floor imports only lower ones.
const floors = ['functions', 'lib/platform', 'lib/http', 'lib/work', 'lib/vendors', 'lib/db', 'lib/rules']
// What every floor may import. It imports no floor; the settings alone name a few rules.
const ground = '^lib/(async/|(config|log|metrics|problem|trace)\\.ts$)'
// `lib/local` and the tests serve the laptop; `lib/ops` has the operator's commands, of which the drill
// starts a PostgreSQL of its own.
const shipped = { path: '^(functions|lib)/', pathNot: '^lib/(local/|ops/drill\\.ts$)' }

// Each vendor's client, and the only files that may import it.
const vendors = {
  '@neondatabase/serverless': '^lib/platform/cloudflare/neon\\.ts$',
  '@upstash/redis': '^lib/platform/cloudflare/redis\\.ts$',
  '@upstash/ratelimit': '^lib/vendors/cache/redis-limiter\\.ts$',
  ioredis: '^lib/platform/node/redis\\.ts$',
  '@upstash/qstash': '^lib/vendors/queue/qstash\\.ts$',
  openai: '^lib/vendors/ai/openai\\.ts$',
  resend: '^lib/vendors/mail/resend\\.ts$',
  nodemailer: '^lib/vendors/mail/smtp\\.ts$',
  stripe: '^lib/vendors/billing/stripe\\.ts$',
  '@modelcontextprotocol/client': '^lib/vendors/mcp/client\\.ts$',
  '@phi-ag/argon2': '^lib/platform/cloudflare/passwords\\.ts$',
  pg: '^lib/(platform/node/(pool|postgres|statement-batch|jobs|jobs-[a-z]+)|db/migrate|ops/(?:admin|known-keys|sealed-columns|doctor|drill-[a-z]+)|db/migrate/[a-z-]+)\\.ts$',
  'graphile-worker': '^lib/platform/node/jobs-(worker|tasks)\\.ts$',
  aws4fetch: '^lib/platform/node/objects-s3\\.ts$',
  sharp: '^lib/platform/node/images\\.ts$',
  '@node-rs/argon2': '^lib/platform/node/passwords\\.ts$',
  '@hono/zod-validator': '^lib/http/validators\\.ts$',
  '@simplewebauthn/server': '^lib/vendors/auth/webauthn\\.ts$',
  '@resvg/resvg-wasm': '^lib/(platform/cloudflare/resvg-wasm|rules/diagrams/png)\\.ts$',
  otpauth: '^lib/vendors/auth/totp\\.ts$',
  oauth4webapi: '^lib/vendors/auth/oidc\\.ts$',
  '@noble/hashes': '^lib/rules/knowledge/pdf-encryption\\.ts$',
  'ipaddr.js': '^lib/(vendors/net/guard|rules/text/address-block)\\.ts$',
}

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

module.exports = {
  forbidden: [
    forbid(
      'no-circular-files',
      'Two files that import each other cannot be read alone.',
      {},
      { circular: true },
    ),
    ...floors
      .slice(1)
      .map((floor, index) =>
        forbid(
          `${floor.replace('lib/', '')}-imports-lower-floors`,
          'A floor imports only lower ones.',
          { path: `^${floor}/` },
          { path: `^(${floors.slice(0, index + 1).join('|')})/` },
        ),
      ),
    forbid(
      'only-the-gate-masks',
      'What leaves is masked by lib/rules/release.ts, prompts by redaction.ts and reports by exports/mask.ts.',
      { path: '^(functions|lib)/', pathNot: '^lib/rules/(masking/|release\\.ts$|exports/mask\\.ts$)' },
      { path: '^lib/rules/masking/', pathNot: '^lib/rules/masking/(levels|redaction|mask-traits)\\.ts$' },
    ),
    forbid(
      'ground-imports-no-floor',
      'Every floor stands on these files.',
      { path: ground },
      {
        path: '^(functions|lib)/',
        pathNot: `${ground}|^lib/rules/(ai/prices|masking/levels|settings/values|text/decimal)\\.ts$`,
      },
    ),
    forbid(
      'rules-import-rules',
      'Rules are pure: they import only each other, lib/problem.ts and packages.',
      { path: '^lib/rules/' },
      { path: '(^(functions|lib)/|(^|/)kysely/)', pathNot: '^lib/(rules/|problem\\.ts$)' },
    ),
    forbid(
      'rules-do-no-io',
      'Rules import no module of Node.js, but the one that finds the current budget.',
      { path: '^lib/rules/', pathNot: '^lib/rules/budget\\.ts$' },
      { dependencyTypes: ['core'] },
    ),
    forbid(
      'files-are-read-in-their-place',
      'ctx.files reads the files of strangers: on Node in a process of their own.',
      { path: '^(functions|lib)/', pathNot: '^lib/(rules/|db/content-files\\.ts$)' },
      {
        path: '^lib/rules/(knowledge/(article|docx|html|markdown|pdf|plain-text)|diagrams/(drawio|mermaid)|flows/markdown/read)\\.ts$',
      },
    ),
    forbid(
      'operations-call-services',
      'operations -> service -> queries',
      { path: '^functions/.+/operations\\.ts$' },
      { path: '(queries\\.ts|lib/(db/(database|dialect)|platform/.+)\\.ts)$' },
    ),
    forbid(
      'services-own-their-queries',
      "A service calls its own queries and other groups' services.",
      { path: '^functions/(.+)/service\\.ts$' },
      { path: '^functions/.+/queries\\.ts$', pathNot: '^functions/$1/queries\\.ts$' },
    ),
    forbid(
      'queries-of-a-group-stay-in-it',
      'What the queries of several groups need is in lib/db/rows.',
      { path: '^functions/(.+)/queries\\.ts$' },
      { path: '^functions/.+/queries\\.ts$', pathNot: '^functions/$1/queries\\.ts$' },
    ),
    forbid(
      'services-do-not-import-operations',
      'operations -> service -> queries',
      { path: '^functions/.+/service\\.ts$' },
      { path: '^functions/.*operations\\.ts$' },
    ),
    forbid(
      'services-hold-no-sql',
      'SQL belongs to queries.ts.',
      { path: '^functions/.+/service\\.ts$' },
      { path: '(^|/)kysely/' },
    ),
    forbid(
      'queries-import-no-rules-of-groups',
      'operations -> service -> queries',
      { path: '^functions/.+/queries\\.ts$' },
      { path: '(service|operations)\\.ts$' },
    ),
    forbid(
      'schemas-import-schemas',
      'A schema imports zod and other schemas.',
      { path: '^functions/.+/schemas\\.ts$' },
      { path: '((service|queries|operations)\\.ts$|(^|/)kysely/)' },
    ),
    forbid(
      'platforms-do-not-mix',
      'What one platform needs is not in the bundle of the other.',
      { path: '^(lib/platform/cloudflare/|functions/cloudflare\\.ts)' },
      { path: '^(lib/platform/node/|functions/node\\.ts)' },
    ),
    forbid(
      'only-entries-know-platforms',
      'Everything else uses the ports.',
      { path: '^functions/', pathNot: '^functions/(cloudflare|node)\\.ts$' },
      { path: '^lib/platform/' },
    ),
    forbid('local-is-never-shipped', 'lib/local serves the laptop and the tests only.', shipped, {
      path: '^lib/local/',
    }),
    forbid(
      'client-stands-alone',
      'The typed client is a package of its own.',
      { path: '^lib/client/' },
      { path: '.', pathNot: '^lib/client/' },
    ),
    forbid(
      'no-development-packages',
      'Shipped code imports runtime dependencies only. `npm run migrate` is not shipped.',
      { ...shipped, pathNot: '^lib/(local/|db/migrate(/|\\.ts$))' },
      { dependencyTypes: ['npm-dev'] },
    ),
    ...Object.entries(vendors).map(([vendor, file]) =>
      forbid(
        `only-one-file-imports-${vendor}`,
        `${vendor} is imported in its own file only.`,
        { path: shipped.path, pathNot: `(${file}|^lib/local/)` },
        { path: `node_modules/${vendor}/` },
      ),
    ),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    // Without them, packages that can only be imported would not be found, and no rule would see them.
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
}
