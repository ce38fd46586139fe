import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as preferences from './service.ts'

export const mailPreferenceOperations = [
  operation({
    id: 'notifications.preferences.get',
    route: 'GET /notifications/preferences',
    summary: 'Get my e-mail preferences',
    description: 'Which events reach me by mail, and by which channels alerts do.',
    access: 'user',
    limit: 'read',
    returns: schemas.MailPreferences,
    handle: ({ ctx }) => preferences.get(ctx),
  }),

  operation({
    id: 'notifications.preferences.replace',
    route: 'PUT /notifications/preferences',
    summary: 'Replace my e-mail preferences',
    description:
      'E-mails in quiet hours, or before the next digest, are held and arrive as one e-mail. Escalations of urgency `high` and `critical`, reminders of an escalation policy, and e-mails without an event, such as those about the sign-in, are sent at once. Notifications in the app are never held. `alert_steps` is for what is sent at once, and for requests for an approval or a substitute, unless they are held: a later step is left out when the matter was taken, decided or ended meanwhile, and when I have read its notification in the app.',
    access: 'user',
    limit: 'write',
    body: schemas.MailPreferencesUpdate,
    returns: schemas.MailPreferences,
    handle: ({ ctx, body }) => preferences.replace(ctx, body),
  }),

  operation({
    id: 'notifications.preferences.test',
    route: 'POST /notifications/preferences/test',
    summary: 'Send me a test',
    description:
      'Sends one message through each channel of mine at once, whatever my steps and quiet hours say, and answers what became of it. Returns 200 even when a channel refuses it.',
    access: 'user',
    limit: '5/minute',
    strictLimit: 'mail',
    closedToKeys: true,
    platform: 'records the attempts as the delivery worker does',
    idempotent: 'leased',
    success: 200,
    returns: z.array(schemas.ChannelTest),
    errors: ['limit_reached'],
    handle: ({ ctx }) => preferences.test(ctx),
  }),
]
