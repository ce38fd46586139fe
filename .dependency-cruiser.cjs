// The import rules of README.md, "Map of the code". `npm run check` enforces it.

const pureFolders = 'flows|versions|exports|reports|pdf|scripts|diagrams|knowledge|schedules|oncall|text|archive'
const service = '^functions/.+/service\\.ts$'
// A command of the operator starts a PostgreSQL of its own and reads the object store, like an entry.
const shipped = { path: '^(functions|lib)/', pathNot: '^lib/(local/|ops/drill\\.ts$)' }

// Each vendor's client, and the only files that may import it.
const vendors = {
  '@neondatabase/serverless': '^lib/platform/cloudflare/neon\\.ts$',
  '@upstash/redis': '^lib/platform/cloudflare/redis\\.ts$',
  '@upstash/ratelimit': '^lib/cache/redis-limiter\\.ts$',
  ioredis: '^lib/platform/node/redis\\.ts$',
  '@upstash/qstash': '^lib/queue/qstash\\.ts$',
  openai: '^lib/ai/openai\\.ts$',
  resend: '^lib/mail/resend\\.ts$',
  stripe: '^lib/billing/stripe\\.ts$',
  '@phi-ag/argon2': '^lib/platform/cloudflare/passwords\\.ts$',
  pg: '^lib/(platform/node/(pool|postgres|statement-batch|jobs|jobs-[a-z]+)|db/migrate|ops/(?:sealed-columns|doctor|drill-[a-z]+)|db/migrate/[a-z-]+)\\.ts$',
  'graphile-worker': '^lib/platform/node/jobs-(worker|tasks)\\.ts$',
  aws4fetch: '^lib/platform/node/objects-s3\\.ts$',
  sharp: '^lib/platform/node/images\\.ts$',
  '@node-rs/argon2': '^lib/platform/node/passwords\\.ts$',
  '@hono/zod-validator': '^lib/http/validators\\.ts$',
  '@simplewebauthn/server': '^lib/auth/webauthn\\.ts$',
  otpauth: '^lib/auth/totp\\.ts$',
  oauth4webapi: '^lib/auth/oidc\\.ts$',
  'ipaddr.js': '^lib/net/(guard|address-block)\\.ts$',
}

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

module.exports = {
  forbidden: [
    forbid('no-circular-files', 'Two files that import each other cannot be read alone.', {}, { circular: true }),
    forbid(
      'operations-call-services',
      'operations -> service -> queries',
      { path: 'operations\\.ts$' },
      { path: '(queries\\.ts|lib/(db/(database|dialect)|platform/.+)\\.ts)$' },
    ),
    forbid(
      'services-own-their-queries',
      "A service calls its own queries and other groups' services.",
      { path: '^functions/(.+)/service\\.ts$' },
      { path: '^functions/.+/queries\\.ts$', pathNot: '^functions/$1/queries\\.ts$' },
    ),
    forbid(
      'services-do-not-import-operations',
      'operations -> service -> queries',
      { path: service },
      { path: '^functions/.*operations\\.ts$' },
    ),
    forbid('services-hold-no-sql', 'SQL belongs to queries.ts.', { path: service }, { path: '(^|/)kysely/' }),
    forbid(
      'queries-import-no-rules',
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
      'lib-does-not-import-functions',
      'Imports only go downward.',
      { path: '^lib/', pathNot: '^lib/local/' },
      { path: '^functions/' },
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
      { path: '^(functions|lib)/', pathNot: '^(lib/(platform|local)/|lib/ops/drill\\.ts$|functions/(cloudflare|node)\\.ts$)' },
      { path: '^lib/platform/' },
    ),
    forbid('local-is-never-shipped', 'lib/local serves the laptop and the tests only.', shipped, { path: '^lib/local/' }),
    forbid(
      'no-development-packages',
      'Shipped code imports runtime dependencies only. `npm run migrate` is not shipped.',
      { ...shipped, pathNot: '^lib/(local/|db/migrate(/|\\.ts$))' },
      { dependencyTypes: ['npm-dev'] },
    ),
    forbid(
      'pure-folders',
      'Pure folders import only each other, lib/problem.ts and packages.',
      { path: `^lib/(${pureFolders})/` },
      { path: '(^(lib|functions)/|(^|/)kysely/)', pathNot: `^lib/((${pureFolders})/|problem\\.ts$)` },
    ),
    forbid(
      'pure-folders-do-no-io',
      'Pure folders import no Node.js module.',
      { path: `^lib/(${pureFolders})/` },
      { dependencyTypes: ['core'] },
    ),
    ...Object.entries(vendors).map(([vendor, file]) =>
      forbid(
        `only-one-file-imports-${vendor}`,
        `${vendor} is imported in its own file only.`,
        { path: shipped.path, pathNot: `(${file}|^lib/local/)` },
        {
          path: `node_modules/${vendor}/`,
        },
      ),
    ),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
  },
}
