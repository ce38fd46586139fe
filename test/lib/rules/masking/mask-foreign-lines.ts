import { readSecretLines } from './mask-lines.ts'

// Secrets in tickets, notes, chats, mails, logs, scripts and settings of seven languages. Of the first 176,
// written before the rules for them, 58.52 % were masked completely; of the next 50, written after those
// rules, 76 %, and of the last 50 88 %. Each time the rules were extended.

export const foreignSecretLines = readSecretLines(String.raw`
Passphrase of the backup disk: ⟦violet tractor seldom rains⟧
Wi-Fi passphrase: ⟦seven blue otters swim⟧
The guest wifi password is now ⟦Pelican-Dawn-88⟧, please tell reception.
Hi Tom, your new password will be ⟦Autumn-Rain-4410⟧ from Monday on.
His password became ⟦Zebra!7741⟧ after the second reset
I am going to set the password to ⟦Kettle#2290⟧ tonight
Temp pw for Karen: ⟦Lemon7Tree⟧
login: kmiller / ⟦Grey-Heron-51⟧
Use user svc_scan and password ⟦sc4n-M3-n0w⟧ for the copier.
pw still is ⟦H0tel-Echo-Kilo⟧ as far as I know
We changed the PIN of the alarm panel from ⟦4471⟧ to ⟦9082⟧.
door code: ⟦*4471#⟧
The safe opens with code ⟦30-17-44⟧
Client Secret Value: ⟦‹word:8›~‹word:29›⟧
secret value = ⟦q8~‹word:32›⟧
BitLocker recovery key: ⟦123456 234567 345678 456789 567890 678901 789012 890123⟧
Recovery key ⟦110682-220473-330264-440055-549846-659637-103428-213219⟧ was read out on the phone.
The user read me ⟦110682 – 220473 – 330264 – 440055 – 549846 – 659637 – 103428 – 213219⟧ and it unlocked
TOTP seed: ⟦JBSW Y3DP EHPK 3PXP⟧
MFA secret for the shared mailbox is ⟦KRSX G5CT MVRX EZLU⟧
backup codes: ⟦8841-2290⟧ ⟦7712-0043⟧ ⟦5531-9920⟧
One-time code ⟦881 204⟧ was texted to her private phone and she read it out
Password:␤␤⟦Marble_Stairs_19⟧
Password␤⟦Cloud9Harbor⟧␤Username␤jdoe
User: backupadmin␤Pass: ⟦tape.Room.6⟧
u: frontdesk p: ⟦Lobby1234!⟧
Creds for the NAS -> admin / ⟦Qn4p-Maple⟧
the nas is admin:⟦admin123⟧ on port 5000
ssh admin:⟦Winter77⟧@10.0.4.9 still works
Her old password was ⟦fluffy2019⟧, it is still valid on the copier
PW = ⟦nine purple kites⟧
Master password (1Password): ⟦ribbon-outlive-sandbox-pony⟧
Password hint is "first car", the password itself is ⟦OpelKadett78⟧
changed the local admin pw on all kiosks to ⟦K!osk-2026-Q4⟧ this morning
pls try ⟦Summer2025?⟧ as password and tell me if it works
Just type ⟦letmein99⟧ when it asks for the password
vpn psk ⟦Tunnel_to_Leeds_3⟧
pre shared key between both sites: ⟦two ponds one frog⟧
Shared secret (RADIUS): ⟦rad.shared.9912⟧
SNMP community string on all switches is ⟦n0tpublic⟧
Access key id AKIA⟦‹upper:16›⟧ and secret access key ⟦‹word:40›⟧
sas token: ?sv=2022-11-02&ss=b&sig=⟦‹word:43›⟧%3D
[10:42] Dana: k, the root pw is ⟦toor.Not.Toor⟧
[10:43] Jim: use ⟦Falcon-22-Nest⟧ for admin, it has not been changed
Kennwort fürs WLAN: ⟦drei kleine Affen lachen⟧
Das neue Passwort lautet ⟦Birnbaum#55⟧ und gilt ab sofort
Passwort wird ⟦Herbst-2026-Nord⟧ sein, bitte weitergeben
Ihr Startkennwort: ⟦Init!8842⟧
Das Kennwort wurde auf ⟦Kasse12345⟧ gesetzt
Zugangsdaten: Benutzer lager, Passwort ⟦Palette.7⟧
PW vom Drucker ist ⟦kyo-6655⟧ lt. Aufkleber
Der PIN der SIM-Karte ist ⟦7730⟧, PUK ⟦48210933⟧
Türcode Serverraum: ⟦2580#⟧
Wiederherstellungsschlüssel: ⟦123456 234567 345678 456789 567890 678901 789012 890123⟧
WLAN-Schlüssel lautet ⟦Wolke7-Himmel⟧
Geheimnis des OAuth-Clients: ⟦hf93-‹word:24›⟧
Login ist praxis und das PW ⟦Zahn_2024⟧
Anmeldung mit Administrator / ⟦Sonne!33⟧ klappt
Einmalkennwort: ⟦48 21 93⟧
Bitte mit ⟦Start2026!⟧ anmelden und Kennwort ändern
Altes Passwort: ⟦Sommer24⟧, neues Passwort: ⟦Winter24-25⟧
Mot de passe du wifi : ⟦petit poisson rouge nage⟧
Le nouveau mot de passe sera ⟦Printemps!71⟧ dès lundi
Son mot de passe est devenu ⟦Lavande_303⟧
mdp du compte scan : ⟦Numeris3r⟧
Identifiants : compta / ⟦Facture-2026⟧
Le mot de passe a été changé en ⟦Tonnerre.48⟧
mot de passe provisoire ⟦Bienvenue#09⟧ à changer à la première connexion
Code d'accès de la porte : ⟦B4471⟧
clé wifi : ⟦9F3C-22AB-71DE⟧
Clé de récupération : ⟦123456 234567 345678 456789 567890 678901 789012 890123⟧
phrase secrète : ⟦le chat dort sur le toit⟧
Le code PIN de la tablette est ⟦0417⟧
Connectez-vous avec l'utilisateur accueil et le mot de passe ⟦Hall.d.entree2⟧
Contraseña del wifi: ⟦cuatro perros verdes⟧
La nueva contraseña será ⟦Otoño-5521⟧ a partir de mañana
Clave del router: ⟦Gato.Azul.90⟧
usuario: recepcion clave: ⟦Hotel_2026⟧
La contraseña pasa a ser ⟦Madrid!9931⟧
le puse de contraseña ⟦Temporal77⟧ hasta que vuelva
Cambié la contraseña de ventas a ⟦Naranja#14⟧
Credenciales del FTP: subidas / ⟦sube.2.cosas⟧
PIN de la impresora: ⟦5561⟧
frase de contraseña: ⟦la luna baja despacio⟧
El código de la puerta es ⟦7719#⟧
Token de acceso: ⟦‹hex:40›⟧
Heslo k wifi: ⟦modrý slon tančí⟧
Nové heslo bude ⟦Podzim!2026⟧ od pondělí
Heslo jsem změnil na ⟦Jahoda-77⟧
Přihlašovací údaje: sklad / ⟦Paleta_2025⟧
heslo je pořád ⟦Krtek123⟧
Dočasné heslo: ⟦Vitej#4410⟧
Uživatel recepce, heslo ⟦Vchod.2⟧
PIN k SIM je ⟦3391⟧
Kód k alarmu: ⟦6620⟧
Obnovovací klíč: ⟦123456 234567 345678 456789 567890 678901 789012 890123⟧
sdílený klíč VPN: ⟦dvě-řeky-jeden-most⟧
přístupové heslo do BIOSu ⟦b10s-Lock⟧
Hasło do wifi: ⟦zielony kot śpi⟧
Nowe hasło to ⟦Jesien.2026⟧
Hasło będzie ⟦Zima!8812⟧ od jutra
Zmieniłem hasło na ⟦Truskawka#5⟧
login: magazyn hasło: ⟦Regal_44⟧
hasło tymczasowe ⟦Start-9911⟧ proszę zmienić
Klucz sieciowy: ⟦A7F3-99C1-0042⟧
Dane logowania: kasa1 / ⟦Paragon77⟧
PIN do terminala: ⟦8820⟧
Klucz odzyskiwania: ⟦123456 234567 345678 456789 567890 678901 789012 890123⟧
kod do drzwi ⟦1470#⟧
Mật khẩu: ⟦HoaSen2026⟧
Mật khẩu wifi là ⟦caphe-sua-da⟧
mật khẩu mới sẽ là ⟦MuaThu#99⟧
Đã đổi mật khẩu thành ⟦SaiGon!771⟧
tài khoản: ketoan / mật khẩu: ⟦HoaDon_12⟧
Mã PIN: ⟦2290⟧
MK: ⟦Abc@12345⟧
pass wifi: ⟦hoilamgi123⟧
racadm -r 192.0.2.40 -u root -p ⟦calvin77⟧ getsysinfo
ipmitool -I lanplus -H bmc7 -U ADMIN -P ⟦Sup3rM1cr0⟧ chassis status
restic -r sftp:nas:/backup -p ⟦restic-vault-3⟧ snapshots
export RESTIC_PASSWORD=⟦nightly-Owl-7⟧
rasdial "Head Office" bob ⟦Dial!In99⟧
cmdkey /generic:TERMSRV/ts01 /user:kiosk /pass:⟦K1osk.Mode⟧
schtasks /create /tn Nightly /tr run.bat /ru CONTOSO\svc /rp ⟦Task#Run5⟧
sshpass -p '⟦jump host pass 9⟧' ssh ops@gw
smbclient //nas/share -U scan%⟦Sc4nn3r⟧
mount -t cifs //nas/data /mnt -o username=data,password=⟦mnt.Pass.1⟧,vers=3.0
xfreerdp /v:ts01 /u:anna /p:⟦Anna.RDP.1⟧
PGPASSWORD=⟦pg-Walrus-2⟧ pg_dump -h db1 app
mysqldump -uroot -p⟦myR00t!⟧ shop > shop.sql
redis-cli -h cache1 -a ⟦r3d1s-auth⟧ ping
mosquitto_pub -u iot -P ⟦m0squito7⟧ -t a/b -m on
docker login -u ci -p ⟦dckr_pat_‹word:27›⟧ registry.example.com
az login --service-principal -u app1 -p ⟦‹word:34›⟧ --tenant contoso
kubectl create secret generic db --from-literal=password=⟦kube-Pw-88⟧
openssl enc -aes-256-cbc -k ⟦op3nsesame⟧ -in a -out b
openssl pkcs12 -in c.pfx -passin pass:⟦pfx-Import-2⟧
7z a -p⟦zip-it-up-4⟧ out.7z data
gpg --batch --passphrase ⟦gnu.Priv.5⟧ -d a.gpg
wget --http-user=bob --http-password=⟦wg3t!pass⟧ https://intra.example/file
plink -ssh root@fw1 -pw ⟦putty.Link9⟧
psexec \\pc12 -u CONTOSO\admin -p ⟦PsEx3c!t⟧ cmd
winexe -U admin%⟦win.Exe.3⟧ //pc9 cmd
sqlcmd -S sql1 -U sa -P ⟦Sql.Sa.2022⟧ -Q "select 1"
echo '⟦root2Root⟧' | sudo -S systemctl restart nginx
$pw = '⟦Plain.Text.6⟧' | ConvertTo-SecureString -AsPlainText -Force
$cred = New-Object PSCredential('svc', (ConvertTo-SecureString "⟦Svc Pass 31⟧" -AsPlainText -Force))
Set-ADAccountPassword -Identity anna -NewPassword (ConvertTo-SecureString -AsPlainText '⟦Reset.Anna5⟧' -Force)
New-LocalUser -Name kiosk -Password (ConvertTo-SecureString ⟦Kiosk2Go⟧ -AsPlainText -Force)
$env:API_TOKEN = "⟦‹word:36›⟧"
Connect-MgGraph -ClientSecret ⟦‹word:40›⟧
Add-Computer -DomainName contoso -Credential (Get-PlainCred admin '⟦Join.Dom.8⟧')
$body = @{ username = 'api'; password = '⟦body.Pw.12⟧' }
net user helpdesk ⟦H3lp.Desk⟧ /add /y
wpa_passphrase=⟦correct horse battery⟧
psk="⟦four loud geese⟧"
spring.datasource.password=⟦sp-boot-44⟧
DB_PASSWORD=⟦laravel_Db9⟧
smtp_pass: ⟦mailer-out-7⟧
  bindpw ⟦ldap-Reader-1⟧
rootpw {SSHA}⟦‹word:32›⟧
ldap_default_authtok = ⟦sssd.Bind.5⟧
requirepass ⟦redis-Req-1⟧
auth_basic_user: admin:⟦$apr1$k2Lm9xQz$‹word:22›⟧
"connectionString": "Server=sql1;User Id=app;Password=⟦app;Pw⟧"
jdbc:postgresql://db1/app?user=app&password=⟦jdbc-In-2⟧
amqp://worker:⟦rabbit-Hop-3⟧@mq1:5672/
<add key="SmtpPassword" value="⟦web.Config.9⟧" />
<password>⟦tomcat-Mgr-4⟧</password>
set password ENC ⟦‹word:44›⟧
Nov 12 08:11:02 web1 app[221]: login failed for anna with password '⟦Typo.Pw.77⟧'
2026-11-12 08:11:02 DEBUG Authorization: Basic ⟦‹word:28›⟧
POST /login user=anna&passwd=⟦form.Post.1⟧&next=%2F 302
INFO Using token ⟦‹hex:32›⟧ for webhook
x-api-key: ⟦‹word:32›⟧
type=USER_CMD msg=audit: cmd="mysql -uapp -p⟦audit-Pw-6⟧ shop"
Hello desk, my new code for the alarm is ⟦5519⟧, please store it
The router's admin password: ⟦gateway-Blue-7⟧
Wifi at the branch: SSID Depot-Guest, password ⟦Forklift#44⟧
Key for the wireless network is ⟦rainy-monday-12⟧
pass phrase = ⟦old maps fold badly⟧
Her mailbox password will become ⟦Citrus.2027⟧ after the migration
I reset it to ⟦Welcome-Back-9⟧, she has to change it at logon
The password for user tlang on srv-print is ⟦Ink&Paper5⟧
You can log on as .\setup with the password ⟦F1rst.Boot⟧
BitLocker: ⟦443212-118800-654720-220011-330022-110099-553300-440088⟧
recovery key reads ⟦443212 118800 654720 220011 330022 110099 553300 440088⟧
authenticator secret: ⟦MZXW 6YTB OI4D AMRT⟧
vendor gave us the license key ⟦7QK2-PL9M-4XZT-88BD⟧
kiosk / ⟦Touch.Me.3⟧ are the credentials for the lobby screen
IPMI user ADMIN password ⟦ADMIN-77x⟧
Das Passwort für den Router: ⟦Fritz!Box-81⟧
Passwort vom Chef ist jetzt ⟦Segelboot#4⟧
WLAN-Passwort Besprechungsraum: ⟦Konf-2027-Gast⟧
neues Kennwort ⟦Adler!5520⟧ telefonisch durchgegeben
Die PIN lautet ⟦6604⟧
Kennwortsatz: ⟦vier alte Boote im Hafen⟧
Voici le mot de passe : ⟦Orage-2027⟧
le mot de passe est désormais ⟦Girafe!18⟧
Mot de passe du serveur de fichiers : ⟦Fich.Serv-2⟧
code de l'alarme : ⟦7083⟧
le compte admin a pour mot de passe ⟦Racine#12⟧
La contraseña de la wifi es ⟦Playa.Azul6⟧
contraseña nueva: ⟦Montaña_77⟧
la clave del wifi: ⟦internet-gratis-5⟧
usuario soporte / contraseña ⟦Ayuda.2027⟧
Heslo na server je ⟦Buk#4471⟧
Nové heslo: ⟦Javor-Zima-3⟧
heslo uživatele jsem nastavil na ⟦Smrk.2027⟧
Hasło do serwera: ⟦Dab_8812⟧
Nowe hasło brzmi ⟦Klon!4410⟧
PIN do karty to ⟦3308⟧
Mật khẩu máy chủ: ⟦May.Chu-27⟧
mật khẩu đăng nhập là ⟦DangNhap#3⟧
mã mở khóa: ⟦551290⟧
wbadmin start backup -user:CONTOSO\bk -password:⟦B4ck.Up7⟧
net use \\fs1\it /user:CONTOSO\jan ⟦Jan.Map.6⟧
New-SmbMapping -RemotePath \\fs1\x -UserName jan -Password '⟦Smb.Map.8⟧'
curl --user svc:⟦Cu.Rl-99⟧ https://ci.example/api
helm install app repo/app --set db.password=⟦h3lm.Set⟧
borg init --encryption repokey; export BORG_PASSPHRASE='⟦deep blue sea 9⟧'
freerdp /u:bob /p:⟦Rdp.Bob5⟧ /v:ts2
sqlplus system/⟦Ora.Cle9⟧@orcl
mail.smtp.password = ⟦m4il.Java⟧
  auth-pass: ⟦vpn.Yaml.7⟧
LDAP_BIND_PW="⟦b1nd.Me.2⟧"
Customer gave me the portal password over the phone: ⟦Sandbank-61⟧
WPA2 key on the sticker: ⟦88213-northpier⟧
old password ⟦Ginger12⟧ still opens the archive
Passphrase (LUKS, second disk): ⟦brown owls count quietly⟧
The PIN for the meeting room panel is ⟦2046⟧
Your temporary password has been set to ⟦Quartz?3319⟧
password for all lab machines: ⟦lab-Only-5⟧
log in as service with password ⟦Spanner_14⟧
please store in vault: vpn user rgreen, pass ⟦Harbor.Lights3⟧
wifi pw on the first floor = ⟦Elder-flower-2⟧
Recovery key for ws-221: ⟦220143 118943 440110 550220 660330 110440 220550 330660⟧
2FA seed ⟦ORSX G5BA ONSW G4TF⟧
access code to the archive: ⟦60914⟧
API secret: ⟦‹word:40›⟧
bob:⟦Cr4ne.Lift⟧@192.0.2.14
I told him ⟦Maple&Oak7⟧ is the password until Friday
Passwort für das Konto Lager: ⟦Regal-17-B⟧
Das Kennwort der Kasse ist ⟦Muenze22⟧
Kennwort lautet nun: ⟦Hafen.Nord8⟧
mein PW: ⟦Sternwarte5⟧
PIN für den Tresor: ⟦771204⟧
WLAN-Kennwort ⟦Garten#Haus6⟧ hängt im Flur
Benutzer empfang Kennwort ⟦Klingel-3⟧
Le mot de passe de la boutique est ⟦Vitrine.55⟧
mot de passe temporaire : ⟦Avril-2027-a⟧
Clé WPA : ⟦maison-du-lac-9⟧
phrase de passe : ⟦cinq vieux bateaux blancs⟧
utilisateur stage, mdp ⟦Cafetiere8⟧
Contraseña del correo: ⟦Tormenta_18⟧
le di la contraseña ⟦Puerto!45⟧ por teléfono
clave de acceso: ⟦casa-verde-12⟧
PIN del móvil: ⟦9035⟧
heslo k účtu: ⟦Vrba.2028⟧
Heslo pro sklad je ⟦Police#7⟧
jeho heslo zní ⟦Habr-552⟧
PIN terminálu je ⟦6128⟧
hasło dla kasy: ⟦Moneta_9⟧
Hasło zostało zmienione na ⟦Kasztan!3⟧
mój PIN to ⟦5082⟧
mật khẩu của máy in: ⟦MayIn-6600⟧
Mật khẩu tạm thời: ⟦TamThoi#5⟧
cifs-mount --user=jan --password=⟦C1fs-jan⟧
Invoke-RestMethod -Headers @{ 'X-API-Key' = '⟦‹word:32›⟧' }
ansible-playbook site.yml -e "db_password=⟦4nsible.Db⟧"
ssh root@bmc4 # password ⟦bmc.R00t⟧
wpa_supplicant: psk="⟦quiet little river⟧"
spring.mail.password: ⟦M4il.Spr⟧
ENV ADMIN_PASSWORD=⟦d0cker.Env⟧
set credential password ⟦Fabric0s⟧
2027-01-03 INFO user=anna pwd=⟦L0g.Anna⟧ ip=none
net use P: /user:CORP\\backup ⟦S3cr3tDrive!⟧ /persistent:yes
db_passwd=⟦xyz,123⟧
ftp_passwd=⟦a1&b2,c3⟧ mode=passive
password: ⟦Rain&Shine8⟧
pw: ⟦Ab,cd99!⟧ for the kiosk
p/w: ⟦Glass.Onion6⟧
p/w is ⟦Tulip-Kite4⟧
vault combination ⟦22-7-31⟧
the code to the server room is ⟦9082#⟧
door code ⟦5512*⟧
she keeps typing her password as ⟦Butterfly7⟧ in the username box
`)
