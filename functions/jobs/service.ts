import * as aiAssessments from '../ai/assessments/service.ts'
import * as aiSessions from '../ai/sessions/service.ts'
import * as deliveries from '../notifications/deliveries/service.ts'
import * as pushes from '../psa/pushes/service.ts'
import * as queries from './queries.ts'

type SweepContext = deliveries.DeliveryContext & pushes.PushContext & aiAssessments.AssessmentContext

/** Publish every row that is due and whose message was lost. The cron trigger calls this each minute. */
export async function sweep(ctx: SweepContext): Promise<void> {
  await deliveries.sweep(ctx)
  await pushes.sweep(ctx)
  await aiAssessments.sweep(ctx)
}

/** Delete expired rows and archive idle AI sessions. The cron trigger calls this each minute. */
export async function deleteExpiredRows(ctx: deliveries.DeliveryContext): Promise<void> {
  await queries.deleteExpiredRows(ctx.platform)
  await aiSessions.archiveIdle(ctx)
}
