import { readSecretLines } from './mask-lines.ts'

// Logs, connection strings, tokens, hashes and codes. The secrets stand between ⟦ and ⟧.

export const logLines = readSecretLines(String.raw`
2026-11-20 10:00:01 DEBUG LoginController - user=ann password=⟦Log!Pw999⟧ ip=ws1
[DEBUG] request body {"user":"ann","password":"⟦Log!Pw998⟧"}
time="10:00" level=debug msg="login" user=ann passwd=⟦Log!Pw997⟧
level=info event=auth secret="⟦l0g secret 9⟧" ok=true
Nov 20 10:00:01 web01 app[22]: smtp auth failed for relay with password '⟦Log!Pw996⟧'
Connecting as sa with password ⟦Log!Pw995⟧
GET /login?user=ann&pwd=⟦Log!Pw994⟧&x=1 HTTP/1.1
GET /reset?token=⟦‹hex:40›⟧ HTTP/1.1
https://app.example.com/invite?code=⟦‹word:22›⟧
Referer: https://app.example.com/reset-password/⟦‹word:32›⟧
X-Auth-Token: ⟦‹hex:32›⟧
X-API-KEY: ⟦‹word:24›⟧
Api-Key: ⟦live-k3y-99⟧
Authorization: Basic ⟦‹word:24›==⟧
Authorization: Digest username="ann", response="⟦‹hex:32›⟧"
Proxy-Authorization: Basic ⟦‹word:20›=⟧
Set-Cookie: session=⟦‹word:32›⟧; HttpOnly
PHPSESSID=⟦‹hex:26›⟧
JSESSIONID=⟦‹hex:32›⟧
Server=db1;Database=shop;User Id=app;Password=⟦Conn!Str9⟧;
Data Source=db1;Initial Catalog=shop;User ID=app;Pwd=⟦Conn!Str8⟧
Driver={ODBC Driver 18};Server=db1;UID=app;PWD={⟦Conn;Str7⟧}
Provider=SQLOLEDB;Data Source=db1;User ID=sa;Password="⟦Conn Str6⟧"
Host=db1;Username=app;Password=⟦Conn!Str5⟧;Database=shop
mysql://app:⟦Conn!Str4⟧@db1:3306/shop
postgresql://app:⟦Conn!Str3⟧@db1/shop?sslmode=require
mongodb://app:⟦ConnStr2x⟧@db1,db2/shop?replicaSet=rs0
jdbc:mysql://db1/shop?user=app&password=⟦Conn!Str1⟧
jdbc:sqlserver://db1;databaseName=shop;user=app;password=⟦Conn!Str0⟧
jdbc:oracle:thin:app/⟦0raThin99⟧@db1:1521:ORCL
ftp://ann:⟦Ftp!Url99⟧@files.example.com/
sftp://ann:⟦Sftp!Url9⟧@files.example.com/
smtp://relay:⟦Smtp!Url9⟧@mail.example.com:587
ldap://cn=adm:⟦Ldap!Url9⟧@dc1
rtsp://admin:⟦Cam!Url99⟧@cam1/stream1
socks5://proxy:⟦Socks!Url⟧@proxy1:1080
AccountEndpoint=https://a.documents.azure.com:443/;AccountKey=⟦‹word:86›==⟧;
SharedAccessSignature sr=x&sig=⟦‹word:43›%3D⟧&se=1
https://a.blob.core.windows.net/c?sv=2022&sig=⟦‹word:43›%3D⟧
aws_secret_access_key = ⟦‹word:40›⟧
AWS_SESSION_TOKEN=⟦‹word:120›⟧
"private_key_id": "⟦‹hex:40›⟧"
"client_secret":"⟦GOCSPX-‹word:28›⟧"
AZURE_CLIENT_SECRET=⟦‹word:34›⟧
subscription-key: ⟦‹hex:32›⟧
Ocp-Apim-Subscription-Key: ⟦‹hex:32›⟧
DD_API_KEY=⟦‹hex:32›⟧
SENTRY_DSN=https://⟦‹hex:32›⟧@sentry.example.com/2
https://hooks.slack.com/services/⟦T‹upper:8›/B‹upper:8›/‹word:24›⟧
https://hooks.slack.com/workflows/⟦T‹upper:8›/A‹upper:8›/‹digit:18›/‹word:24›⟧
https://discord.com/api/webhooks/‹digit:18›/⟦‹word:68›⟧
https://contoso.webhook.office.com/webhookb2/⟦‹hex:8›-‹hex:4›-‹hex:4›-‹hex:4›-‹hex:12›@‹hex:8›-‹hex:4›-‹hex:4›-‹hex:4›-‹hex:12›/IncomingWebhook/‹hex:32›⟧/x
https://chat.googleapis.com/v1/spaces/AAA/messages?key=⟦AIza‹word:35›⟧&token=⟦‹word:43›⟧
https://api.telegram.org/bot⟦‹digit:10›:AA‹word:33›⟧/sendMessage
https://outlook.office.com/webhook/⟦‹hex:32›⟧
ghs token ⟦ghs_‹word:36›⟧
⟦ghr_‹word:36›⟧ found in the repository
⟦xoxb-‹digit:12›-‹digit:12›-‹word:24›⟧
⟦xapp-1-A‹upper:10›-‹digit:13›-‹hex:64›⟧
⟦sk-ant-api03-‹word:80›⟧ is in the log
⟦sk-proj-‹word:60›⟧
⟦gsk_‹word:52›⟧
⟦r8_‹word:37›⟧
⟦shpss_‹hex:32›⟧
⟦EAAC‹word:120›⟧
⟦AKIA‹upper:16›⟧ / ⟦‹word:40›⟧
⟦ASIA‹upper:16›⟧
⟦AIza‹word:35›⟧
⟦1//0‹word:60›⟧ refresh token
⟦pscale_tkn_‹word:40›⟧
⟦dckr_pat_‹word:27›⟧
⟦nvapi-‹word:60›⟧
⟦sbp_‹hex:40›⟧
⟦rnd_‹word:28›⟧
⟦vercel_‹word:24›⟧
⟦v1.0-‹hex:24›-‹hex:146›⟧
⟦phc_‹word:43›⟧
⟦CFPAT-‹word:43›⟧
⟦oy2‹word:43›⟧
⟦pat-na1-‹hex:8›-‹hex:4›-‹hex:4›-‹hex:4›-‹hex:12›⟧
⟦eyJ‹word:30›.eyJ‹word:60›.‹word:43›⟧
id_token=⟦eyJ‹word:30›.eyJ‹word:60›.‹word:43›⟧&state=1
refresh_token: ⟦0.A‹word:60›.‹word:40›⟧
"access_token" : "⟦‹word:50›⟧"
"refresh_token":"⟦‹word:50›⟧"
"id_token":"⟦eyJ‹word:30›.eyJ‹word:60›.‹word:43›⟧"
csrf_token=⟦‹hex:32›⟧
otpauth://totp/Contoso:ann?secret=⟦‹upper:32›⟧&issuer=Contoso
TOTP secret: ⟦JBSWY3DPEHPK3PXQ⟧
authenticator secret ⟦GEZDGNBVGY3TQOJQ⟧
Administrator:500:⟦aad3b435b51404eeaad3b435b51404ee⟧:⟦‹hex:32›⟧:::
Guest:501:⟦aad3b435b51404eeaad3b435b51404ee⟧:⟦31d6cfe0d16ae931b73c59d7e0c089c0⟧:::
contoso.local\krbtgt:502:⟦‹hex:32›⟧:⟦‹hex:32›⟧:::
WS01$:aes256-cts-hmac-sha1-96:⟦‹hex:64›⟧
WS01$:aes128-cts-hmac-sha1-96:⟦‹hex:32›⟧
WS01$:des-cbc-md5:⟦‹hex:16›⟧
$MACHINE.ACC: ⟦aad3b435b51404eeaad3b435b51404ee⟧:⟦‹hex:32›⟧
dpapi_machinekey:0x⟦‹hex:40›⟧
dpapi_userkey:0x⟦‹hex:40›⟧
NL$KM:⟦‹hex:128›⟧
_SC_MSSQLSERVER␤contoso\svc_sql:⟦Lsa!Secr9⟧
DefaultPassword␤(Unknown User):⟦Lsa!Auto9⟧
CONTOSO.LOCAL/ann:⟦$DCC2$10240#ann#‹hex:32›⟧
ann::CONTOSO:‹hex:16›:⟦‹hex:32›⟧:⟦0101000000000000‹hex:64›⟧
[SMB] NTLMv2-SSP Hash     : ann::CONTOSO:‹hex:16›:⟦‹hex:32›⟧:⟦0101‹hex:64›⟧
         * NTLM     : ⟦‹hex:32›⟧
         * SHA1     : ⟦‹hex:40›⟧
         * Password : ⟦Mimi!Katz⟧
NT hash: ⟦‹hex:32›⟧
NTLM: ⟦‹hex:32›⟧
LM hash ⟦‹hex:32›⟧
pth with -hashes :⟦‹hex:32›⟧
-hashes ⟦‹hex:32›⟧:⟦‹hex:32›⟧
$krb5asrep$23$ann@CONTOSO.LOCAL:⟦‹hex:32›⟧$⟦‹hex:80›⟧
$krb5tgs$23$*svc$CONTOSO$http/web*$⟦‹hex:32›⟧$⟦‹hex:80›⟧
root:⟦$6$rounds=5000$saltsalt$‹word:86›⟧:19001:0:99999:7:::
ann:⟦$y$j9T$‹word:22›$‹word:43›⟧:19500:0:99999:7:::
ann:⟦$1$saltsalt$‹word:22›⟧:15000:0:99999:7:::
ann:⟦$apr1$saltsalt$‹word:22›⟧
ann:{SHA}⟦‹word:27›=⟧
userPassword: {SSHA}⟦‹word:32›==⟧
userPassword:: ⟦‹word:40›⟧
unicodePwd:: ⟦‹word:24›=⟧
⟦$2a$10$‹word:53›⟧
⟦$2y$12$‹word:53›⟧
⟦$argon2id$v=19$m=65536,t=3,p=4$‹word:22›$‹word:43›⟧
⟦pbkdf2_sha256$260000$‹word:12›$‹word:43›=⟧
⟦$P$B‹word:30›⟧
password_hash: ⟦‹hex:64›⟧
pwhash = ⟦‹hex:32›⟧
md5 password ⟦md5‹hex:32›⟧
SCRAM-SHA-256$4096:⟦‹word:22›==$‹word:43›=:‹word:43›=⟧
ms-Mcs-AdmPwd: ⟦L4ps!9xQ⟧
ms-Mcs-AdmPwd            : ⟦k7#Qz9!mWd2x⟧
LAPS password: ⟦k7#Qz9!mWd2y⟧
Recovery Password: ⟦‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›⟧
Numerical Password:␤      ID: {6B29FC40-CA47-1067-B31D-00DD010662DA}␤      Password:␤        ⟦‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›⟧
msFVE-RecoveryPassword: ⟦‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›⟧
FileVault personal recovery key: ⟦‹upper:4›-‹upper:4›-‹upper:4›-‹upper:4›-‹upper:4›-‹upper:4›⟧
Recovery key = '⟦‹upper:4›-‹upper:4›-‹upper:4›-‹upper:4›-‹upper:4›-‹upper:4›⟧'
Product key: ⟦NPPR9-FWDCX-D2C8J-H872K-2YT43⟧
License key ⟦ABCD-1234-EF56-7890⟧
Licence: ⟦X7K2-99QP-LM31-ZZ8T⟧
License: ⟦eset-AAAA-33W2-BBB9-77XT⟧
Activation code ⟦8844-2210-7719⟧
Adobe serial ⟦1118-‹digit:4›-‹digit:4›-‹digit:4›-‹digit:4›-‹digit:4›⟧
Veeam support key: ⟦‹hex:8›-‹hex:4›-‹hex:4›-‹hex:4›-‹hex:12›⟧
Agent install token: ⟦‹hex:8›-‹hex:4›-‹hex:4›-‹hex:4›-‹hex:12›⟧
SentinelOne site token ⟦eyJ‹word:80›==⟧
CrowdStrike CID with checksum ⟦‹hex:32›-A7⟧
passphrase for the uninstall: ⟦S1 uninstall words here⟧
Uninstall password ⟦Un!nst4ll⟧
Duo ikey DI‹upper:18›, skey ⟦‹word:40›⟧
skey: ⟦‹word:40›⟧
bypass code ⟦‹digit:9›⟧
Your one-time password is ⟦204881⟧
Your OTP: ⟦551 203⟧
OTP=⟦190233⟧
Use ⟦448120⟧ as your verification code
⟦G-559201⟧ is your Google verification code
⟦771204⟧ is your security code
2FA code ⟦118 274⟧ did not work
MFA code is ⟦662018⟧
SMS code: ⟦3391⟧
Security code ⟦20981⟧
Login code: ⟦8QX-T7M⟧
Device code ⟦B7WQ-KLMN⟧ entered
Temporary access pass: ⟦Tap9xQ7+⟧
TAP ⟦hX3!qz9P⟧ valid for an hour
PIN: ⟦4821⟧
PIN is ⟦482100⟧
pin=⟦9021⟧
PIN code ⟦7712⟧ for the copier
Print PIN 00⟦4471⟧
BitLocker PIN ⟦77120934⟧
SIM PIN ⟦1212⟧ PUK ⟦88213377⟧
PUK code: ⟦88213378⟧
Door code ⟦4417#⟧
Gate code: ⟦1999⟧
Alarm code is ⟦7788⟧
Safe combination ⟦22-41-07⟧
Recovery codes:␤⟦1a2b3-c4d5e⟧␤⟦f6a7b-8c9d0⟧␤⟦e1f2a-3b4c5⟧
Backup code ⟦4432 1199⟧
backup codes ⟦83921044⟧, ⟦11932204⟧ and ⟦77120093⟧
Emergency code: ⟦8F2K-99QM⟧
Scratch code ⟦99120933⟧
Conference PIN: ⟦55120#⟧
Meeting passcode: ⟦Zx81!q⟧
Zoom passcode ⟦8Kx2mQ⟧
Host key: ⟦441209⟧
Teams dial-in PIN ⟦88120⟧
Apple ID password ⟦Appl3!Id⟧
AES key ⟦‹hex:64›⟧
encryption key = ⟦‹hex:32›⟧
master key 0x⟦‹hex:64›⟧
HMAC secret ⟦‹hex:40›⟧
seed phrase: ⟦apple river stone cloud lamp winter⟧
`)
