import * as aiAssessments from '../ai/assessments/service.ts'
import * as aiSessions from '../ai/sessions/service.ts'
import * as deliveries from '../notifications/deliveries/service.ts'
import * as pushes from '../psa/pushes/service.ts'
import * as queries from './queries.ts'

type SweepContext = deliveries.DeliveryContext & pushes.PushContext & aiAssessments.AssessmentContext

/** Publishes every row that is due and whose message was lost. Runs each minute. */
export async function sweep(ctx: SweepContext): Promise<void> {
  await deliveries.sweep(ctx)
  await pushes.sweep(ctx)
  await aiAssessments.sweep(ctx)
}

/** Deletes expired rows and archives idle AI sessions. Runs each minute. */
export async function deleteExpiredRows(ctx: deliveries.DeliveryContext): Promise<void> {
  await queries.deleteExpired(ctx.platform)
  await aiSessions.archiveIdle(ctx)
}
