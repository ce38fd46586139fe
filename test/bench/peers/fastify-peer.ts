// A peer for the bench: a service as one would write it with Fastify and pg. It reads and writes the same
// rows and answers with the same fields, without row level security, roles and rate limits. With GUARDED=true
// it has these (guards.ts), hands jobs over to the queue and writes a log line per request. Rules without
// input and output, such as the order of steps and the text of a document, are the service's own functions.
// Run with DATABASE_URL, JWT_SECRET and PORT; the guarded peer also with RUNTIME_URL, QSTASH_URL and
// QSTASH_TOKEN, and with REDIS_URL unless it counts in memory.
import { openSync } from 'node:fs'
import fastify from 'fastify'
import pino from 'pino'
import { authenticate, readCaller } from './caller.ts'
import { addDecisionRoute } from './decision-route.ts'
import { addEscalationRoute } from './escalation-route.ts'
import { addFlowRoutes } from './flow-routes.ts'
import { addLimit, addTenantTransaction } from './guards.ts'
import { addLoginRoute } from './login-route.ts'
import { addNotificationRoutes } from './notification-routes.ts'
import { addSessionRoutes } from './session-routes.ts'

const isGuarded = process.env.GUARDED === 'true'
// Errors are printed, so that a peer whose rows no longer fit the service's says so.
const streams = [
  { level: 'error', stream: process.stderr },
  ...(isGuarded ? [{ level: 'info', stream: pino.destination(openSync('/dev/null', 'w')) }] : []),
]
const app = fastify({
  loggerInstance: pino({ level: isGuarded ? 'info' : 'error' }, pino.multistream(streams)),
})
app.decorateRequest('caller')
app.decorateRequest('client')
app.register(async (signedOut) => {
  if (isGuarded) addLimit(signedOut, ({ headers, ip }) => String(headers['cf-connecting-ip'] ?? ip))
  addLoginRoute(signedOut)
})
app.register(async (signedIn) => {
  signedIn.addHook('onRequest', authenticate)
  if (isGuarded) {
    addLimit(signedIn, (request) => readCaller(request).userId)
    addTenantTransaction(signedIn)
  }
  for (const addRoutes of [
    addNotificationRoutes,
    addFlowRoutes,
    addSessionRoutes,
    addDecisionRoute,
    addEscalationRoute,
  ])
    addRoutes(signedIn)
})
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
