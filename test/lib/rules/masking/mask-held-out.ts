import { readSecretLines } from './mask-lines.ts'

// Lines that were written before the masking rules and were not used to write them. Their recall is an
// estimate for lines nobody has seen.

export const heldOutLines = readSecretLines(String.raw`
username netops privilege 15 secret 9 ⟦$9$nhEmQVczB7dqsO$X.HsgL6x1il0RxkOSSvyQYwucySCt7qFm4v7pqCxkKM⟧
enable password 7 ⟦0822455D0A16⟧
 neighbor 192.0.2.1 password 7 ⟦13061E010803⟧
ppp chap password 0 ⟦dialin4u⟧
tacacs-server key 7 ⟦121A0C041104⟧
radius server ISE01 key ⟦Rad1us!Shared⟧
crypto isakmp key ⟦B3twe3nSites⟧ address 198.51.100.20
snmp-server host 10.1.1.5 version 2c ⟦n0cread⟧
snmp-server user monitor NOC v3 auth sha ⟦AuthPhrase9⟧ priv aes 128 ⟦PrivPhrase9⟧
 ip ospf message-digest-key 1 md5 ⟦ospf-shared-1⟧
 standby 10 authentication md5 key-string ⟦hsrpkey22⟧
wpa-psk ascii 0 ⟦Lobby-Guest-24⟧
tunnel-group 203.0.113.9 ipsec-attributes ikev1 pre-shared-key ⟦Tunn3lVision⟧
passwd ⟦2KFQnbNIdI.2KYOU⟧ encrypted
username asaadmin password ⟦P4ttSyrm33SV8TYp⟧ encrypted privilege 15
set system root-authentication encrypted-password "⟦$6$k1Xn$9vLmQwErTyUiOpAsDfGhJkZxCvBnM1234567890abcdef⟧"
set security ike policy ike-branch pre-shared-key ascii-text "⟦$9$Qp3TF9CBIEyeWylwYgoDj3nApu1⟧"
set snmp community ⟦acme-ro-42⟧ authorization read-only
set passwd ENC ⟦SH2b9XkLQw8eTzR4mNpVcYsD1aFgHjKl⟧
set psksecret ENC ⟦9hXb3VtLpQ2rWm8nZc5yKdJf⟧
set passphrase "⟦Meraki-to-Forti-7⟧"
/ppp secret add name=site2 password=⟦l2tpSite2⟧ service=l2tp
/interface wireless security-profiles set default wpa2-pre-shared-key=⟦ShopFloor88⟧
/ip ipsec identity add peer=hq secret=⟦mikro-hq-psk⟧
wlan ssid-profile Staff wpa-passphrase ⟦c0ffee-and-tea⟧
mgmt-user admin root ⟦a1b2c3d401e5f60718293a4b5c6d7e8f90⟧
password manager plaintext ⟦pr0curve1⟧
radius-server host 10.0.0.9 key ⟦hp-rad-77⟧
set service snmp community ⟦edge-comm⟧
set vpn ipsec site-to-site peer 203.0.113.5 authentication pre-shared-secret ⟦ubnt-2-hq⟧
set system login user ubnt authentication plaintext-password ⟦ubntPass3⟧
set deviceconfig system snmp-setting access-setting version v2c snmp-community-string ⟦palo-mon⟧
set mgt-config users admin phash ⟦$5$abcdefgh$kLmNoPqRsTuVwXyZ0123456789⟧
net use Z: \\fs02\data ⟦Sh4reMe!⟧ /user:CONTOSO\backup
net user localadmin ⟦Temp#2291⟧ /add
psexec \\ws-114 -u contoso\svc_dep -p ⟦Depl0y.99⟧ cmd
wmic /node:srv3 /user:admin /password:⟦wm1cPass⟧ os get caption
sqlcmd -S db02 -U sa -P ⟦Sa#Strong1⟧ -Q "select 1"
mysqldump -u root -p⟦r00tSql9⟧ shop > shop.sql
mysql --user=app --password=⟦appDb_44⟧ shop
PGPASSWORD=⟦pgAdm1n⟧ psql -h db -U postgres
sshpass -p '⟦Lin0x-77⟧' ssh root@web02
curl -u admin:⟦nextCl0ud⟧ https://cloud.example.com/ocs
curl -H "Authorization: Bearer ⟦‹word:40›⟧" https://api.example.com/v1
wget --http-user=bob --http-password=⟦wg3tMe⟧ https://files.example.com/a.zip
schtasks /create /tn Backup /tr c:\b.cmd /sc daily /ru CONTOSO\svc /rp ⟦T4skRunner⟧
cmdkey /add:srv1 /user:CONTOSO\ann /pass:⟦cmdK3y!⟧
$cred = New-Object PSCredential("svc", (ConvertTo-SecureString '⟦Pl4inText!⟧' -AsPlainText -Force))
Set-ADAccountPassword -Identity bob -Reset -NewPassword (ConvertTo-SecureString "⟦Reset!Bob1⟧" -AsPlainText -Force)
$SmtpPass = '⟦sm7pRelay⟧'
Add-Computer -DomainName contoso.local -Credential (New-Object PSCredential 'adm', '⟦j0inDomain⟧')
echo '⟦Ch4ngeMe⟧' | passwd --stdin oracle
echo "root:⟦newR00t!⟧" | chpasswd
useradd -p ⟦saHW9GdxihkGQ⟧ kiosk
htpasswd -b .htpasswd ann ⟦b4sicAuth⟧
ldapsearch -x -D cn=admin,dc=acme -w ⟦ld4pBind⟧ -b dc=acme
smbclient //fs01/share -U 'ann%⟦Smb-2026⟧'
mount -t cifs //nas/b /mnt -o username=veeam,password=⟦n4sMount⟧
openssl pkcs12 -in cert.pfx -nodes -passin pass:⟦pfxOpen1⟧
7z x backup.7z -p⟦z1pCode99⟧
unzip -P ⟦unz1pMe⟧ logs.zip
redis-cli -h cache -a ⟦r3disAuth⟧ ping
export AWS_SECRET_ACCESS_KEY=⟦‹word:40›⟧
docker login -u ci -p ⟦d0ckerHub⟧ registry.example.com
az login --service-principal -u 550e8400-e29b-41d4-a716-446655440000 -p ⟦‹word:34›⟧ --tenant contoso
kubectl create secret generic db --from-literal=password=⟦k8sDbPw⟧
ansible-playbook site.yml -e ansible_become_pass=⟦bec0meRoot⟧
bitsadmin /setcredentials job server basic ann ⟦b1tsPass⟧
xfreerdp /v:ts01 /u:ann /p:⟦rdpP4ss⟧
plink -ssh admin@sw1 -pw ⟦swAdm1n⟧ show run
winscp.com /command "open sftp://ann:⟦sftpW1n⟧@files.example.com"
rclone config create s3 s3 secret_access_key ⟦‹word:40›⟧
2026-11-20 10:11:12 DEBUG auth: user=ann password=⟦l0gLeak⟧ result=ok
Nov 20 10:11:12 vpn charon: secret for 203.0.113.5 is '⟦ch4ronPsk⟧'
[INFO] Loaded config {"smtp":{"user":"relay","pass":"⟦j5onPass⟧"}}
POST /login HTTP/1.1 body: username=ann&password=⟦f0rmPost⟧&remember=1
GET /api?access_token=⟦‹word:32›⟧ HTTP/1.1 200
Server=tcp:sql1,1433;Initial Catalog=crm;User ID=crm;Password=⟦Crm#Prod7⟧;Encrypt=True
jdbc:oracle:thin:scott/⟦t1gerTiger⟧@//ora1:1521/ORCL
mongodb+srv://app:⟦m0ngoPw⟧@cluster0.example.net/shop
amqp://worker:⟦r4bbitMq⟧@mq1:5672/vhost
redis://:⟦r3disUrl⟧@cache1:6379/0
postgres://report:⟦pgUrl77⟧@db3/report
DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=⟦‹word:86›⟧==;EndpointSuffix=core.windows.net
Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=root;SharedAccessKey=⟦‹word:43›⟧=
token=⟦xoxp-‹digit:12›-‹digit:12›-‹hex:32›⟧
SLACK_WEBHOOK=https://hooks.slack.com/services/⟦T‹upper:8›/B‹upper:8›/‹word:24›⟧
webhook https://discord.com/api/webhooks/‹digit:18›/⟦‹word:68›⟧
GH token ⟦gho_‹word:36›⟧ was in the ticket
Twilio auth token: ⟦‹hex:32›⟧
Stripe key ⟦pk_live_‹word:24›⟧ and ⟦sk_test_‹word:24›⟧
Mailchimp ⟦‹hex:32›-us14⟧
the JWT was ⟦eyJ‹word:20›.eyJ‹word:40›.‹word:43›⟧
Administrator:500:⟦‹hex:32›⟧:⟦‹hex:32›⟧:::
CONTOSO\krbtgt:502:⟦aad3b435b51404eeaad3b435b51404ee⟧:⟦‹hex:32›⟧:::
NTLM hash of svc_sql: ⟦‹hex:32›⟧
root:⟦$6$saltsalt$‹word:86›⟧:19000:0:99999:7:::
ann::CONTOSO:1122334455667788:⟦‹hex:32›⟧:⟦0101000000000000‹hex:48›⟧
$krb5tgs$23$*svc_sql$CONTOSO.LOCAL$MSSQLSvc/db1*$⟦‹hex:32›⟧$⟦‹hex:80›⟧
bcrypt ⟦$2b$12$‹word:53›⟧
MS-Cache: ⟦$DCC2$10240#ann#‹hex:32›⟧
Your verification code is ⟦482913⟧
OTP ⟦771 204⟧ was read out on the phone
MFA code: ⟦039144⟧
PIN for the door is ⟦4471⟧
Voicemail PIN ⟦90210⟧
SIM PUK: ⟦48213377⟧
Backup codes: ⟦8f3k-22mz⟧ ⟦q9d7-41xp⟧ ⟦m2c8-77vr⟧
BitLocker recovery key ⟦‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›-‹digit:6›⟧ for LT-114
FileVault recovery key ⟦‹upper:4›-‹upper:4›-‹upper:4›-‹upper:4›-‹upper:4›-‹upper:4›⟧
Office key ⟦N7K2P-Q4R8T-W3X9Y-B5C6D-F1G2H⟧ activated
TOTP seed ⟦JBSWY3DPEHPK3PXP⟧ stored in IT Glue
otpauth://totp/Acme:ann?secret=⟦‹upper:32›⟧&issuer=Acme
Reset her password to ⟦Autumn2026!⟧ and she is back in.
I set a temp password of ⟦Welcome#77⟧ for the new starter
pw is ⟦Spring_2026⟧ for now, must change at next logon
login: svc_scan / ⟦sc4nToSmb⟧
The wifi is AcmeGuest and the password is ⟦guestAcme22⟧
creds for the portal are ann / ⟦p0rtalAnn⟧
user: helpdesk pass: ⟦h3lpMe⟧
He gave me his pwd, ⟦Fr1day!!⟧, over the phone
Changed the admin password from ⟦Old#Pass1⟧ to ⟦New#Pass2⟧
Try logging in with ⟦Qwerty!234⟧ as the password
Router login admin/⟦Zx81spectrum⟧
New password: ⟦‹word:14›⟧
Password - ⟦Blau3Katze⟧
Password␤⟦Kx7!mmQ2⟧
Password:␤    ⟦Tulip-9-Garden⟧
Wi-Fi passcode ⟦sunny-side-41⟧
Her passphrase is "⟦purple monkey dishwasher⟧"
Combination for the server room: ⟦7734⟧
Alarm code ⟦2580⟧ still works
the iDRAC uses the default ⟦calvin⟧ password
Das Kennwort wurde auf ⟦Herbst2026!⟧ zurückgesetzt
Neues Passwort: ⟦Schlüssel99⟧
WLAN-Schlüssel: ⟦FritzBox4711⟧
Zugangsdaten: mueller / ⟦Muell3r!⟧
Le mot de passe du wifi est ⟦cafe-creme8⟧
Identifiants : jdupont / ⟦Jd!2026⟧
Code PIN : ⟦8842⟧
La contraseña nueva es ⟦Verano#26⟧
Clave: ⟦sol-y-mar7⟧
La password è ⟦Estate2026!⟧
Parola d'ordine: ⟦vesuvio79⟧
Het wachtwoord is ⟦Fietsen-12⟧
Inloggegevens: jansen / ⟦J4nsen!⟧
A palavra-passe é ⟦Lisboa#25⟧
Senha do wifi: ⟦praia-2026⟧
Hasło do panelu: ⟦Zima!2026⟧
Nowe hasło to ⟦Kotek-77⟧
Lösenordet är ⟦Sommar26!⟧
パスワードは ⟦Fuji-3776⟧ です
密码是 ⟦Great-Wall8⟧
| Admin password | ⟦Tbl3Pass⟧ |
| host | user | password |␤|---|---|---|␤| srv1 | admin | ⟦c0lumnPw⟧ |
name,user,password␤fw1,admin,⟦csvPass1⟧
Hostname␉Username␉Password␤nas1␉root␉⟦tabPass9⟧
<password>⟦xmlPass1⟧</password>
<add key="ApiSecret" value="⟦appS3tting⟧" />
<Password><Value>⟦unattendPw⟧</Value><PlainText>true</PlainText></Password>
<connection user="app" pwd="⟦attrPw7⟧"/>
{"username":"ann","password":"⟦js0nPw⟧"}
{"name": "db_password", "value": "⟦n4meValue⟧"}
{"key": "API key", "value": "⟦9f8e7d6c5b4a⟧"}
  - name: ADMIN_PASSWORD␤    value: ⟦yamlEnv8⟧
db:␤  password: ⟦yamlPw3⟧
smtp_pass: '⟦qu0tedYaml⟧'
[database]␤pwd=⟦iniPw55⟧
JWT_SECRET=⟦env-jwt-s3cret⟧
STRIPE_KEY="⟦rk_live_‹word:24›⟧"
define('DB_PASSWORD', '⟦wpC0nfig⟧');
spring.datasource.password=⟦spr1ngPw⟧
"Value": "⟦regPassw0rd⟧", "Name": "DefaultPassword"
DefaultPassword    REG_SZ    ⟦aut0Logon⟧
`)

/** Labels of the generated forms that were held out. */
export const heldOutLabels = [
  'Admin Password',
  'db_passwd',
  'wifiPassword',
  'Root-Kennwort',
  'Mot de passe admin',
  'contraseña',
  'wachtwoord',
  'hasło',
  'client_secret',
  'apiToken',
  'pre-shared key',
  'snmp_community',
  'recovery key',
  'passphrase',
  'privateKey',
  'encryption key',
  'senha',
  'PIN code',
]
