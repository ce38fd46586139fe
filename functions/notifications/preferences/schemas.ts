import * as z from 'zod'
import { EventKeyName } from '#functions/notifications/notifications/schemas.ts'
import { Time } from '#http/fields.ts'
import { LocalTime, Weekday } from '#rules/oncall/schema.ts'
import { refuseRepeats } from '#rules/text/duplicates.ts'
import { personalChannels } from '#work/claimed-deliveries.ts'

/** What a user has who never changed it. */
export const defaultTimes = { quiet_from: '22:00', quiet_to: '06:00', digest_time: '08:00' }

const QuietHours = z
  .strictObject({
    days: z
      .array(Weekday)
      .min(1)
      .max(7)
      .superRefine(refuseRepeats())
      .describe('The days on which quiet hours begin.'),
    from: LocalTime.describe('When they begin, in my time zone.').meta({ example: '22:00' }),
    to: LocalTime.describe('When they end: on the next day if this is not later than `from`.').meta({
      example: '06:30',
    }),
  })
  .refine(({ days, from, to }) => days.length < 7 || from !== to, 'must leave a time for e-mails')
const quietHoursText = 'When no e-mail is sent, unless it is urgent; null for no quiet hours.'

export const Digest = z
  .enum(['off', 'hourly', 'daily'])
  .meta({ id: 'EmailDigest' })
  .describe(
    '`off`: an e-mail per event. `hourly` and `daily`: one e-mail with the events since the last one.',
  )
const DigestTime = LocalTime.describe('When a daily digest is sent, in my time zone.')
const EmailEvents = z
  .array(EventKeyName)
  .superRefine(refuseRepeats())
  .describe(
    'Events that I also get by e-mail. `session.escalated`, `escalation.reminded`, `oncall.changed`, `oncall.shift_starts` and `oncall.substitute_requested` are always sent.',
  )

const AlertStep = z
  .strictObject({
    channel: z
      .enum(personalChannels)
      .meta({ id: 'PersonalChannel' })
      .describe(
        '`web_push`: each browser in which I have switched notifications on. `sms` and `voice`: a text message and a call to my verified number. `email`: my address.',
      ),
    delay_minutes: z
      .int()
      .min(0)
      .max(60)
      .describe('Minutes after the first channel that can reach me.')
      .meta({ example: 5 }),
  })
  .meta({ id: 'AlertStep' })
export const AlertSteps = z.array(AlertStep)
/** What a user has who never changed it: everything at once, but what costs the account something. */
export const defaultSteps = (['web_push', 'email'] as const).map((channel) => ({
  channel,
  delay_minutes: 0,
}))
const alertStepsText =
  'By which channels an alert reaches me, and when: all at once unless I change it. The first one that can reach me is used at once.'
const alertStepsExample = [
  { channel: 'web_push', delay_minutes: 0 },
  { channel: 'email', delay_minutes: 5 },
]

export const MailPreferences = z
  .strictObject({
    email_events: EmailEvents,
    quiet_hours: QuietHours.nullable().describe(quietHoursText),
    digest: Digest,
    digest_time: DigestTime.meta({ example: '08:00' }),
    alert_steps: AlertSteps.describe(alertStepsText).meta({ example: alertStepsExample }),
    timezone: z.string().describe('My time zone. Set it with `PATCH /auth/me`.'),
    held_emails: z.int().describe('Number of my e-mails that are held.').meta({ example: 2 }),
    held_until: Time.nullable().describe(
      'When the held e-mails are sent as a digest; null when no e-mail is held.',
    ),
  })
  .meta({ id: 'MailPreferencesResponse' })
export type MailPreferences = z.infer<typeof MailPreferences>

export const ChannelTest = z
  .strictObject({
    channel: AlertStep.shape.channel,
    ok: z.boolean().describe('Whether it was accepted: by at least one browser, or by the mail provider.'),
    error: z
      .string()
      .nullable()
      .describe('Why it was not; null for one that was.')
      .meta({ example: 'No browser shows your notifications' }),
  })
  .meta({ id: 'ChannelTestResponse', example: { channel: 'email', ok: true, error: null } })
export type ChannelTest = z.infer<typeof ChannelTest>

export const MailPreferencesUpdate = z
  .strictObject({
    email_events: EmailEvents.default([]).meta({ example: ['handoff.claimed', 'psa.push_failed'] }),
    quiet_hours: QuietHours.nullable().default(null).describe(quietHoursText),
    digest: Digest.default('off'),
    digest_time: DigestTime.default(defaultTimes.digest_time),
    alert_steps: AlertSteps.min(1)
      .max(personalChannels.length)
      .superRefine(refuseRepeats(({ channel }) => channel))
      .refine(
        (steps) => steps.some(({ channel }) => channel === 'email'),
        'must contain `email`, because a browser may be gone',
      )
      .default(defaultSteps)
      .describe(`${alertStepsText} Each channel once; \`email\` is required.`)
      .meta({ example: alertStepsExample }),
  })
  .meta({ id: 'MailPreferencesUpdate' })
export type MailPreferencesUpdate = z.infer<typeof MailPreferencesUpdate>
