// A peer for the bench: a service as one would write it with Fastify and pg. It reads and writes the same rows and answers with the same
// fields, without row level security, roles and rate limits. Rules without input and output, such as the order of steps and the text of a
// document, are the service's own functions. The rows of an escalation are stored; the peer publishes none of them.
// Run with DATABASE_URL, JWT_SECRET and PORT.
import fastify from 'fastify'
import { authenticate } from './caller.ts'
import { addDecisionRoute } from './decision-route.ts'
import { addEscalationRoute } from './escalation-route.ts'
import { addFlowRoutes } from './flow-routes.ts'
import { addLoginRoute } from './login-route.ts'
import { addNotificationRoutes } from './notification-routes.ts'
import { addSessionRoutes } from './session-routes.ts'

const app = fastify()
app.decorateRequest('caller')
addLoginRoute(app)
app.register(async (signedIn) => {
  signedIn.addHook('onRequest', authenticate)
  for (const addRoutes of [addNotificationRoutes, addFlowRoutes, addSessionRoutes, addDecisionRoute, addEscalationRoute])
    addRoutes(signedIn)
})
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
