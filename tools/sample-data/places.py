"""Places in Berlin: their positions and approximate sizes.

Points are accurate to about 100 m, outlines are simplified by hand. The places in OURS are invented.
"""

from typing import Dict, List, NamedTuple, Tuple

Position = Tuple[float, float]  # longitude, latitude, as in GeoJSON
Ring = List[Position]


class Place(NamedTuple):
    """A circular place; the radius is in meters."""

    id: str
    kind: str
    name: str
    latitude: float
    longitude: float
    radius: float


# The columns of the tables: id | name | latitude | longitude | radius in meters
STATIONS = """
hauptbahnhof | Berlin Hauptbahnhof | 52.5251 | 13.3694 | 200
alexanderplatz | S+U Alexanderplatz | 52.5215 | 13.4112 | 150
friedrichstrasse | S+U Friedrichstraße | 52.5203 | 13.3870 | 150
zoologischer-garten | S+U Zoologischer Garten | 52.5072 | 13.3326 | 150
ostbahnhof | Berlin Ostbahnhof | 52.5103 | 13.4348 | 200
ostkreuz | S Ostkreuz | 52.5031 | 13.4690 | 200
suedkreuz | Berlin Südkreuz | 52.4758 | 13.3656 | 200
gesundbrunnen | S+U Gesundbrunnen | 52.5487 | 13.3889 | 200
westkreuz | S Westkreuz | 52.5009 | 13.2838 | 150
spandau | Berlin-Spandau | 52.5345 | 13.1977 | 200
lichtenberg | S+U Lichtenberg | 52.5103 | 13.4969 | 200
potsdamer-platz | S+U Potsdamer Platz | 52.5095 | 13.3764 | 150
hackescher-markt | S Hackescher Markt | 52.5226 | 13.4023 | 120
jannowitzbruecke | S+U Jannowitzbrücke | 52.5148 | 13.4182 | 120
warschauer-strasse | S+U Warschauer Straße | 52.5058 | 13.4492 | 150
bellevue | S Bellevue | 52.5199 | 13.3475 | 100
tiergarten | S Tiergarten | 52.5143 | 13.3364 | 100
savignyplatz | S Savignyplatz | 52.5052 | 13.3190 | 100
charlottenburg | S Charlottenburg | 52.5047 | 13.3037 | 120
wannsee | S Wannsee | 52.4212 | 13.1794 | 150
nikolassee | S Nikolassee | 52.4320 | 13.1931 | 120
grunewald | S Grunewald | 52.4882 | 13.2612 | 150
westend | S Westend | 52.5182 | 13.2843 | 120
messe-nord | S Messe Nord/ICC | 52.5076 | 13.2837 | 120
halensee | S Halensee | 52.4963 | 13.2904 | 120
hohenzollerndamm | S Hohenzollerndamm | 52.4887 | 13.3003 | 120
heidelberger-platz | S+U Heidelberger Platz | 52.4800 | 13.3122 | 120
bundesplatz | S+U Bundesplatz | 52.4779 | 13.3286 | 120
innsbrucker-platz | S+U Innsbrucker Platz | 52.4784 | 13.3429 | 120
schoeneberg | S Schöneberg | 52.4794 | 13.3520 | 120
tempelhof | S+U Tempelhof | 52.4703 | 13.3856 | 150
hermannstrasse | S+U Hermannstraße | 52.4676 | 13.4314 | 150
neukoelln | S+U Neukölln | 52.4692 | 13.4421 | 150
sonnenallee | S Sonnenallee | 52.4729 | 13.4556 | 120
treptower-park | S Treptower Park | 52.4938 | 13.4617 | 120
frankfurter-allee | S+U Frankfurter Allee | 52.5138 | 13.4752 | 150
storkower-strasse | S Storkower Straße | 52.5238 | 13.4647 | 120
landsberger-allee | S Landsberger Allee | 52.5293 | 13.4550 | 120
greifswalder-strasse | S Greifswalder Straße | 52.5403 | 13.4394 | 120
prenzlauer-allee | S Prenzlauer Allee | 52.5447 | 13.4270 | 120
schoenhauser-allee | S+U Schönhauser Allee | 52.5494 | 13.4147 | 150
wedding | S+U Wedding | 52.5427 | 13.3660 | 150
westhafen | S+U Westhafen | 52.5362 | 13.3439 | 120
beusselstrasse | S Beusselstraße | 52.5343 | 13.3290 | 120
jungfernheide | S+U Jungfernheide | 52.5305 | 13.3003 | 150
humboldthain | S Humboldthain | 52.5447 | 13.3793 | 100
nordbahnhof | S Nordbahnhof | 52.5319 | 13.3888 | 120
oranienburger-strasse | S Oranienburger Straße | 52.5251 | 13.3929 | 100
brandenburger-tor | S+U Brandenburger Tor | 52.5165 | 13.3812 | 100
anhalter-bahnhof | S Anhalter Bahnhof | 52.5040 | 13.3823 | 100
yorckstrasse | S+U Yorckstraße | 52.4925 | 13.3700 | 150
julius-leber-bruecke | S Julius-Leber-Brücke | 52.4862 | 13.3607 | 100
friedenau | S Friedenau | 52.4703 | 13.3411 | 100
rathaus-steglitz | S+U Rathaus Steglitz | 52.4562 | 13.3217 | 120
lichterfelde-west | S Lichterfelde West | 52.4433 | 13.2937 | 100
zehlendorf | S Zehlendorf | 52.4311 | 13.2587 | 120
mexikoplatz | S Mexikoplatz | 52.4370 | 13.2328 | 100
s-schlachtensee | S Schlachtensee | 52.4400 | 13.2149 | 100
bornholmer-strasse | S Bornholmer Straße | 52.5546 | 13.3979 | 120
pankow | S+U Pankow | 52.5674 | 13.4121 | 150
baumschulenweg | S Baumschulenweg | 52.4672 | 13.4900 | 120
schoeneweide | S Schöneweide | 52.4551 | 13.5095 | 150
adlershof | S Adlershof | 52.4347 | 13.5416 | 150
koepenick | S Köpenick | 52.4586 | 13.5815 | 150
friedrichshagen | S Friedrichshagen | 52.4574 | 13.6238 | 120
karlshorst | S Karlshorst | 52.4806 | 13.5268 | 120
rummelsburg | S Rummelsburg | 52.5014 | 13.4786 | 100
noeldnerplatz | S Nöldnerplatz | 52.5037 | 13.4851 | 100
marzahn | S Marzahn | 52.5436 | 13.5415 | 120
springpfuhl | S Springpfuhl | 52.5269 | 13.5366 | 120
ahrensfelde | S Ahrensfelde | 52.5714 | 13.5657 | 120
s-tegel | S Tegel | 52.5882 | 13.2897 | 120
frohnau | S Frohnau | 52.6324 | 13.2904 | 120
karow | S Karow | 52.6153 | 13.4692 | 120
buch | S Buch | 52.6360 | 13.4917 | 120
s-olympiastadion | S Olympiastadion | 52.5112 | 13.2421 | 150
heerstrasse | S Heerstraße | 52.5084 | 13.2586 | 100
lankwitz | S Lankwitz | 52.4388 | 13.3418 | 120
lichtenrade | S Lichtenrade | 52.3875 | 13.3962 | 120
wuhletal | S+U Wuhletal | 52.5126 | 13.5751 | 120
mahlsdorf | S Mahlsdorf | 52.5123 | 13.6115 | 120
gruenau | S Grünau | 52.4125 | 13.5741 | 120
plaenterwald-s | S Plänterwald | 52.4788 | 13.4740 | 100
wittenbergplatz | U Wittenbergplatz | 52.5019 | 13.3430 | 100
nollendorfplatz | U Nollendorfplatz | 52.4994 | 13.3536 | 100
gleisdreieck | U Gleisdreieck | 52.4997 | 13.3743 | 100
moeckernbruecke | U Möckernbrücke | 52.4990 | 13.3830 | 100
hallesches-tor | U Hallesches Tor | 52.4977 | 13.3910 | 100
kottbusser-tor | U Kottbusser Tor | 52.4993 | 13.4182 | 120
goerlitzer-bahnhof | U Görlitzer Bahnhof | 52.4991 | 13.4283 | 100
schlesisches-tor | U Schlesisches Tor | 52.5010 | 13.4416 | 100
hermannplatz | U Hermannplatz | 52.4868 | 13.4246 | 120
mehringdamm | U Mehringdamm | 52.4938 | 13.3885 | 100
platz-der-luftbruecke | U Platz der Luftbrücke | 52.4853 | 13.3861 | 100
rosenthaler-platz | U Rosenthaler Platz | 52.5298 | 13.4014 | 100
rosa-luxemburg-platz | U Rosa-Luxemburg-Platz | 52.5280 | 13.4105 | 90
senefelderplatz | U Senefelderplatz | 52.5327 | 13.4127 | 100
eberswalder-strasse | U Eberswalder Straße | 52.5413 | 13.4123 | 100
bernauer-strasse | U Bernauer Straße | 52.5379 | 13.3964 | 90
strausberger-platz | U Strausberger Platz | 52.5181 | 13.4330 | 100
weberwiese | U Weberwiese | 52.5167 | 13.4447 | 90
frankfurter-tor | U Frankfurter Tor | 52.5159 | 13.4537 | 100
samariterstrasse | U Samariterstraße | 52.5148 | 13.4647 | 90
tierpark-u | U Tierpark | 52.4973 | 13.5236 | 100
hoenow | U Hönow | 52.5382 | 13.6330 | 120
stadtmitte | U Stadtmitte | 52.5113 | 13.3898 | 100
kochstrasse | U Kochstraße | 52.5060 | 13.3905 | 90
unter-den-linden | U Unter den Linden | 52.5170 | 13.3888 | 100
museumsinsel-u | U Museumsinsel | 52.5176 | 13.3990 | 80
rotes-rathaus-u | U Rotes Rathaus | 52.5188 | 13.4073 | 90
spittelmarkt | U Spittelmarkt | 52.5114 | 13.4033 | 90
maerkisches-museum-u | U Märkisches Museum | 52.5122 | 13.4101 | 100
klosterstrasse | U Klosterstraße | 52.5172 | 13.4125 | 80
hausvogteiplatz | U Hausvogteiplatz | 52.5133 | 13.3953 | 80
moritzplatz | U Moritzplatz | 52.5037 | 13.4106 | 100
heinrich-heine-strasse | U Heinrich-Heine-Straße | 52.5105 | 13.4160 | 80
rathaus-neukoelln | U Rathaus Neukölln | 52.4812 | 13.4347 | 100
boddinstrasse | U Boddinstraße | 52.4800 | 13.4256 | 90
rudow | U Rudow | 52.4162 | 13.4956 | 120
alt-mariendorf | U Alt-Mariendorf | 52.4396 | 13.3877 | 120
kurfuerstendamm | U Kurfürstendamm | 52.5037 | 13.3314 | 90
uhlandstrasse | U Uhlandstraße | 52.5028 | 13.3261 | 90
ernst-reuter-platz | U Ernst-Reuter-Platz | 52.5118 | 13.3224 | 120
deutsche-oper-u | U Deutsche Oper | 52.5118 | 13.3109 | 90
sophie-charlotte-platz | U Sophie-Charlotte-Platz | 52.5109 | 13.2962 | 90
kaiserdamm | U Kaiserdamm | 52.5100 | 13.2821 | 90
theodor-heuss-platz | U Theodor-Heuss-Platz | 52.5099 | 13.2727 | 120
olympia-stadion-u | U Olympia-Stadion | 52.5172 | 13.2501 | 120
ruhleben | U Ruhleben | 52.5256 | 13.2417 | 120
turmstrasse | U Turmstraße | 52.5259 | 13.3417 | 100
hansaplatz | U Hansaplatz | 52.5180 | 13.3424 | 90
leopoldplatz | U Leopoldplatz | 52.5464 | 13.3593 | 120
osloer-strasse | U Osloer Straße | 52.5570 | 13.3733 | 120
seestrasse | U Seestraße | 52.5503 | 13.3523 | 100
alt-tegel | U Alt-Tegel | 52.5895 | 13.2837 | 120
kurt-schumacher-platz | U Kurt-Schumacher-Platz | 52.5638 | 13.3277 | 120
bayerischer-platz | U Bayerischer Platz | 52.4885 | 13.3402 | 90
fehrbelliner-platz | U Fehrbelliner Platz | 52.4903 | 13.3147 | 100
dahlem-dorf | U Dahlem-Dorf | 52.4573 | 13.2898 | 100
krumme-lanke | U Krumme Lanke | 52.4435 | 13.2415 | 100
suedstern | U Südstern | 52.4892 | 13.4077 | 100
rathaus-spandau | U Rathaus Spandau | 52.5355 | 13.1999 | 100
zitadelle-u | U Zitadelle | 52.5378 | 13.2182 | 100
"""

PARKS = """
volkspark-hasenheide | Volkspark Hasenheide | 52.4830 | 13.4153 | 350
treptower-park-wiese | Treptower Park, Große Wiese | 52.4886 | 13.4697 | 300
park-am-gleisdreieck | Park am Gleisdreieck | 52.4956 | 13.3755 | 250
britzer-garten | Britzer Garten | 52.4333 | 13.4180 | 400
gaerten-der-welt | Gärten der Welt | 52.5390 | 13.5765 | 350
schlossgarten-charlottenburg | Schlossgarten Charlottenburg | 52.5245 | 13.2955 | 300
volkspark-rehberge | Volkspark Rehberge | 52.5545 | 13.3320 | 400
volkspark-humboldthain | Volkspark Humboldthain | 52.5457 | 13.3850 | 200
schillerpark | Schillerpark | 52.5600 | 13.3500 | 250
tierpark | Tierpark Berlin | 52.5020 | 13.5300 | 400
zoo | Zoologischer Garten Berlin | 52.5083 | 13.3378 | 250
botanischer-garten | Botanischer Garten | 52.4556 | 13.3060 | 350
volkspark-wilmersdorf | Volkspark Wilmersdorf | 52.4835 | 13.3270 | 200
buergerpark-pankow | Bürgerpark Pankow | 52.5728 | 13.3960 | 250
weinbergspark | Volkspark am Weinberg | 52.5319 | 13.4025 | 100
monbijoupark | Monbijoupark | 52.5233 | 13.3967 | 100
invalidenpark | Invalidenpark | 52.5299 | 13.3767 | 90
fritz-schloss-park | Fritz-Schloß-Park | 52.5297 | 13.3560 | 200
koernerpark | Körnerpark | 52.4727 | 13.4392 | 80
preussenpark | Preußenpark | 52.4922 | 13.3118 | 120
suedgelaende | Natur-Park Südgelände | 52.4610 | 13.3580 | 300
viktoriapark | Viktoriapark | 52.4882 | 13.3810 | 200
ernst-thaelmann-park | Ernst-Thälmann-Park | 52.5392 | 13.4358 | 150
volkspark-jungfernheide | Volkspark Jungfernheide | 52.5440 | 13.2880 | 400
plaenterwald | Plänterwald | 52.4830 | 13.4840 | 300
wuhlheide | Volkspark Wuhlheide | 52.4640 | 13.5480 | 400
"""

SQUARES = """
gendarmenmarkt | Gendarmenmarkt | 52.5137 | 13.3927 | 100
pariser-platz | Pariser Platz | 52.5163 | 13.3789 | 80
bebelplatz | Bebelplatz | 52.5166 | 13.3938 | 75
kollwitzplatz | Kollwitzplatz | 52.5362 | 13.4177 | 80
helmholtzplatz | Helmholtzplatz | 52.5432 | 13.4182 | 100
boxhagener-platz | Boxhagener Platz | 52.5112 | 13.4596 | 90
breitscheidplatz | Breitscheidplatz | 52.5047 | 13.3357 | 100
winterfeldtplatz | Winterfeldtplatz | 52.4965 | 13.3548 | 90
viktoria-luise-platz | Viktoria-Luise-Platz | 52.4960 | 13.3426 | 80
chamissoplatz | Chamissoplatz | 52.4886 | 13.3935 | 75
oranienplatz | Oranienplatz | 52.5022 | 13.4163 | 90
mariannenplatz | Mariannenplatz | 52.5032 | 13.4237 | 120
lausitzer-platz | Lausitzer Platz | 52.4998 | 13.4310 | 80
arkonaplatz | Arkonaplatz | 52.5375 | 13.4022 | 80
zionskirchplatz | Zionskirchplatz | 52.5347 | 13.4035 | 75
ludwigkirchplatz | Ludwigkirchplatz | 52.4990 | 13.3244 | 80
olivaer-platz | Olivaer Platz | 52.4999 | 13.3151 | 90
grosser-stern | Großer Stern | 52.5145 | 13.3501 | 100
platz-der-republik | Platz der Republik | 52.5186 | 13.3730 | 120
marheinekeplatz | Marheinekeplatz | 52.4897 | 13.3967 | 80
richardplatz | Richardplatz | 52.4748 | 13.4452 | 90
rathenauplatz | Rathenauplatz | 52.4947 | 13.2891 | 90
checkpoint-charlie | Checkpoint Charlie | 52.5075 | 13.3904 | 75
"""

SIGHTS = """
reichstag | Reichstagsgebäude | 52.5186 | 13.3762 | 120
brandenburg-gate | Brandenburger Tor | 52.5163 | 13.3777 | 75
fernsehturm | Fernsehturm | 52.5208 | 13.4094 | 100
rotes-rathaus | Rotes Rathaus | 52.5186 | 13.4083 | 80
berliner-dom | Berliner Dom | 52.5192 | 13.4010 | 80
schloss-charlottenburg | Schloss Charlottenburg | 52.5209 | 13.2957 | 150
schloss-bellevue | Schloss Bellevue | 52.5176 | 13.3535 | 150
gedaechtniskirche | Kaiser-Wilhelm-Gedächtniskirche | 52.5049 | 13.3351 | 75
hkw | Haus der Kulturen der Welt | 52.5188 | 13.3652 | 100
bundeskanzleramt | Bundeskanzleramt | 52.5202 | 13.3692 | 150
holocaust-mahnmal | Denkmal für die ermordeten Juden Europas | 52.5139 | 13.3787 | 100
berliner-mauer | Gedenkstätte Berliner Mauer | 52.5350 | 13.3902 | 120
neue-synagoge | Neue Synagoge | 52.5249 | 13.3946 | 75
zitadelle-spandau | Zitadelle Spandau | 52.5410 | 13.2123 | 200
funkturm | Funkturm | 52.5050 | 13.2782 | 100
icc | Internationales Congress Centrum | 52.5063 | 13.2800 | 150
east-side-gallery | East Side Gallery | 52.5050 | 13.4396 | 200
oberbaumbruecke | Oberbaumbrücke | 52.5019 | 13.4456 | 90
teufelsberg | Teufelsberg | 52.4975 | 13.2410 | 250
molecule-man | Molecule Man | 52.4970 | 13.4590 | 90
ehrenmal-treptow | Sowjetisches Ehrenmal Treptow | 52.4865 | 13.4717 | 200
glienicker-bruecke | Glienicker Brücke | 52.4134 | 13.0903 | 100
pfaueninsel | Pfaueninsel | 52.4340 | 13.1310 | 400
strandbad-wannsee | Strandbad Wannsee | 52.4380 | 13.1790 | 250
grunewaldturm | Grunewaldturm | 52.4773 | 13.1925 | 100
"""

MUSEUMS = """
humboldt-forum | Humboldt Forum | 52.5174 | 13.4027 | 100
pergamonmuseum | Pergamonmuseum | 52.5212 | 13.3967 | 90
altes-museum | Altes Museum | 52.5194 | 13.3985 | 75
neues-museum | Neues Museum | 52.5204 | 13.3977 | 75
bode-museum | Bode-Museum | 52.5219 | 13.3947 | 75
alte-nationalgalerie | Alte Nationalgalerie | 52.5208 | 13.3982 | 75
historisches-museum | Deutsches Historisches Museum | 52.5178 | 13.3969 | 80
naturkundemuseum | Museum für Naturkunde | 52.5300 | 13.3795 | 100
hamburger-bahnhof | Hamburger Bahnhof | 52.5284 | 13.3720 | 100
technikmuseum | Deutsches Technikmuseum | 52.4986 | 13.3775 | 120
juedisches-museum | Jüdisches Museum | 52.5018 | 13.3953 | 100
berlinische-galerie | Berlinische Galerie | 52.5036 | 13.3986 | 80
gropius-bau | Gropius Bau | 52.5067 | 13.3822 | 80
topographie-des-terrors | Topographie des Terrors | 52.5068 | 13.3837 | 90
neue-nationalgalerie | Neue Nationalgalerie | 52.5069 | 13.3676 | 80
gemaeldegalerie | Gemäldegalerie | 52.5084 | 13.3653 | 90
ddr-museum | DDR Museum | 52.5195 | 13.4027 | 75
maerkisches-museum | Märkisches Museum | 52.5135 | 13.4145 | 80
stasimuseum | Stasimuseum | 52.5147 | 13.4876 | 100
gedenkstaette-hohenschoenhausen | Gedenkstätte Hohenschönhausen | 52.5415 | 13.5010 | 150
archenhold-sternwarte | Archenhold-Sternwarte | 52.4860 | 13.4763 | 90
planetarium | Zeiss-Großplanetarium | 52.5431 | 13.4279 | 80
"""

STAGES = """
philharmonie | Philharmonie | 52.5101 | 13.3698 | 90
staatsoper | Staatsoper Unter den Linden | 52.5167 | 13.3947 | 75
deutsche-oper | Deutsche Oper | 52.5126 | 13.3087 | 80
komische-oper | Komische Oper | 52.5159 | 13.3867 | 75
konzerthaus | Konzerthaus | 52.5135 | 13.3918 | 75
volksbuehne | Volksbühne | 52.5269 | 13.4119 | 80
deutsches-theater | Deutsches Theater | 52.5247 | 13.3824 | 75
berliner-ensemble | Berliner Ensemble | 52.5217 | 13.3858 | 75
friedrichstadt-palast | Friedrichstadt-Palast | 52.5239 | 13.3889 | 75
kulturbrauerei | Kulturbrauerei | 52.5391 | 13.4126 | 100
arena-treptow | Arena Treptow | 52.4968 | 13.4545 | 120
uber-arena | Uber Arena | 52.5060 | 13.4434 | 150
waldbuehne | Waldbühne | 52.5160 | 13.2290 | 200
"""

SPORTS = """
olympiastadion | Olympiastadion | 52.5147 | 13.2395 | 300
alte-foersterei | Stadion An der Alten Försterei | 52.4572 | 13.5681 | 200
jahnsportpark | Friedrich-Ludwig-Jahn-Sportpark | 52.5432 | 13.4057 | 150
velodrom | Velodrom | 52.5303 | 13.4513 | 150
mommsenstadion | Mommsenstadion | 52.5085 | 13.2610 | 150
trabrennbahn-karlshorst | Trabrennbahn Karlshorst | 52.4795 | 13.5180 | 300
"""

HOSPITALS = """
charite-mitte | Charité Campus Mitte | 52.5264 | 13.3772 | 250
charite-virchow | Charité Campus Virchow-Klinikum | 52.5425 | 13.3430 | 300
charite-benjamin-franklin | Charité Campus Benjamin Franklin | 52.4419 | 13.3172 | 250
klinikum-friedrichshain | Vivantes Klinikum im Friedrichshain | 52.5257 | 13.4420 | 150
klinikum-neukoelln | Vivantes Klinikum Neukölln | 52.4410 | 13.4580 | 250
klinikum-am-urban | Vivantes Klinikum Am Urban | 52.4938 | 13.4087 | 150
unfallkrankenhaus | BG Klinikum Unfallkrankenhaus Berlin | 52.5190 | 13.5660 | 250
st-hedwig | St. Hedwig-Krankenhaus | 52.5260 | 13.3968 | 80
bundeswehrkrankenhaus | Bundeswehrkrankenhaus | 52.5315 | 13.3780 | 120
"""

UNIVERSITIES = """
humboldt-universitaet | Humboldt-Universität, Hauptgebäude | 52.5180 | 13.3934 | 120
technische-universitaet | Technische Universität, Hauptgebäude | 52.5125 | 13.3269 | 200
freie-universitaet | Freie Universität, Rost- und Silberlaube | 52.4528 | 13.2900 | 250
universitaet-der-kuenste | Universität der Künste | 52.5093 | 13.3271 | 100
htw-wilhelminenhof | HTW, Campus Wilhelminenhof | 52.4583 | 13.5273 | 200
htw-treskowallee | HTW, Campus Treskowallee | 52.4927 | 13.5257 | 150
bht | Berliner Hochschule für Technik | 52.5452 | 13.3548 | 150
hu-adlershof | Humboldt-Universität, Campus Adlershof | 52.4308 | 13.5312 | 300
staatsbibliothek | Staatsbibliothek Unter den Linden | 52.5178 | 13.3914 | 80
"""

SHOPS = """
kadewe | KaDeWe | 52.5017 | 13.3410 | 90
mall-of-berlin | Mall of Berlin | 52.5104 | 13.3805 | 120
alexa | Alexa | 52.5197 | 13.4160 | 120
markthalle-neun | Markthalle Neun | 52.5021 | 13.4318 | 75
tuerkenmarkt | Markt am Maybachufer | 52.4953 | 13.4253 | 150
westhafen-markt | Großmarkt Beusselstraße | 52.5385 | 13.3290 | 250
"""

AIRPORTS = """
ber | Flughafen Berlin Brandenburg | 52.3667 | 13.5033 | 2000
txl | Ehemaliger Flughafen Tegel | 52.5597 | 13.2877 | 2000
"""

OURS = """
home-anna | Anna’s home | 52.5352 | 13.4262 | 80
home-ben | Ben’s home | 52.4922 | 13.4168 | 80
school | Mia’s school | 52.5389 | 13.4205 | 90
office | Anna’s office | 52.5092 | 13.4072 | 100
office-ben | Ben’s workshop | 52.5287 | 13.4166 | 100
football | Football practice | 52.5462 | 13.4090 | 110
dog-run | Dog meadow | 52.5285 | 13.4308 | 75
home-nina | Nina’s home | 52.4772 | 13.4302 | 75
home-clara | Clara’s home | 52.5640 | 13.4180 | 100
office-clara | Clara’s office | 52.5020 | 13.3640 | 100
home-student | Student hall | 52.4555 | 13.2965 | 90
depot | Van depot | 52.5395 | 13.3370 | 200
garage-sued | Workshop for vans | 52.4600 | 13.3960 | 150
charging-park | Charging park | 52.5230 | 13.4890 | 120
"""

# id → (kind, name, polygons). A polygon is a list of rings, the outer ring first. The last point of a ring does not repeat the first one.
OUTLINES: Dict[str, Tuple[str, str, List[List[Ring]]]] = {
    "tempelhofer-feld": ("park", "Tempelhofer Feld", [[
        [(13.3885, 52.4712), (13.3885, 52.4775), (13.3925, 52.4808), (13.4000, 52.4812), (13.4145, 52.4795),
         (13.4178, 52.4778), (13.4205, 52.4695), (13.3930, 52.4702)],
        [(13.3985, 52.4741), (13.4105, 52.4736), (13.4112, 52.4758), (13.3990, 52.4765)],  # skylarks breed here
    ]]),
    "grosser-tiergarten": ("park", "Großer Tiergarten", [[
        [(13.3365, 52.5128), (13.3372, 52.5150), (13.3430, 52.5167), (13.3490, 52.5180), (13.3575, 52.5184),
         (13.3690, 52.5181), (13.3762, 52.5171), (13.3772, 52.5110), (13.3740, 52.5098), (13.3690, 52.5106),
         (13.3590, 52.5098), (13.3520, 52.5090), (13.3430, 52.5098)],
        [(13.3487, 52.5145), (13.3491, 52.5139), (13.3501, 52.5136), (13.3511, 52.5139), (13.3515, 52.5145),
         (13.3511, 52.5151), (13.3501, 52.5154), (13.3491, 52.5151)],  # the roundabout of the Großer Stern
    ]]),
    "museumsinsel": ("museum", "Museumsinsel", [[
        [(13.3938, 52.5221), (13.3958, 52.5220), (13.3992, 52.5208), (13.4022, 52.5193), (13.4043, 52.5168),
         (13.4003, 52.5162), (13.3983, 52.5176), (13.3966, 52.5195), (13.3943, 52.5213)],
        [(13.3990, 52.5184), (13.4000, 52.5190), (13.4007, 52.5186), (13.3998, 52.5179)],  # the Lustgarten
    ]]),
    "umweltzone": ("zone", "Umweltzone (inside the Ringbahn)", [[
        [(13.3003, 52.5305), (13.3290, 52.5343), (13.3439, 52.5362), (13.3660, 52.5427), (13.3889, 52.5487),
         (13.4147, 52.5494), (13.4270, 52.5447), (13.4394, 52.5403), (13.4550, 52.5293), (13.4647, 52.5238),
         (13.4752, 52.5138), (13.4690, 52.5031), (13.4617, 52.4938), (13.4556, 52.4729), (13.4421, 52.4692),
         (13.4314, 52.4676), (13.3856, 52.4703), (13.3656, 52.4758), (13.3520, 52.4794), (13.3429, 52.4784),
         (13.3286, 52.4779), (13.3122, 52.4800), (13.3003, 52.4887), (13.2904, 52.4963), (13.2838, 52.5009),
         (13.2837, 52.5076), (13.2843, 52.5182)],
        [(13.3890, 52.4715), (13.3890, 52.4800), (13.4145, 52.4792), (13.4195, 52.4700)],  # no street crosses the old airfield
    ]]),
    "volkspark-friedrichshain": ("park", "Volkspark Friedrichshain", [[
        [(13.4252, 52.5278), (13.4320, 52.5303), (13.4395, 52.5325), (13.4440, 52.5300), (13.4405, 52.5275),
         (13.4370, 52.5245), (13.4330, 52.5250)],
        [(13.4368, 52.5283), (13.4385, 52.5290), (13.4374, 52.5298), (13.4357, 52.5291)],  # the Großer Bunkerberg
    ]]),
    "goerlitzer-park": ("park", "Görlitzer Park", [[
        [(13.4318, 52.4984), (13.4330, 52.4992), (13.4440, 52.4950), (13.4428, 52.4938)],
    ]]),
    "mauerpark": ("park", "Mauerpark", [[
        [(13.4010, 52.5413), (13.4038, 52.5408), (13.4035, 52.5452), (13.3998, 52.5452)],
    ]]),
    "alexanderplatz-platz": ("square", "Alexanderplatz", [[
        [(13.4100, 52.5223), (13.4128, 52.5238), (13.4165, 52.5216), (13.4133, 52.5199)],
    ]]),
    "regierungsviertel": ("zone", "Regierungsviertel", [[
        [(13.3630, 52.5185), (13.3640, 52.5226), (13.3770, 52.5217), (13.3776, 52.5178)],
    ]]),
    "messegelaende": ("zone", "Messegelände", [[
        [(13.2650, 52.5035), (13.2730, 52.5062), (13.2790, 52.5058), (13.2808, 52.5008), (13.2700, 52.4985)],
    ]]),
    "grunewald-forst": ("park", "Grunewald", [[
        [(13.2585, 52.4900), (13.2480, 52.5015), (13.2260, 52.5045), (13.2080, 52.4960), (13.1935, 52.4700),
         (13.1900, 52.4480), (13.1985, 52.4432), (13.2200, 52.4480), (13.2400, 52.4600), (13.2585, 52.4760)],
        [(13.2240, 52.4935), (13.2275, 52.4955), (13.2300, 52.4935), (13.2265, 52.4915)],  # around the Teufelssee
    ]]),
    "schlachtensee": ("lake", "Schlachtensee", [[
        [(13.1945, 52.4378), (13.2020, 52.4412), (13.2095, 52.4437), (13.2160, 52.4441), (13.2225, 52.4456),
         (13.2238, 52.4445), (13.2160, 52.4423), (13.2080, 52.4415), (13.2010, 52.4389), (13.1955, 52.4368)],
    ]]),
    "weisser-see": ("lake", "Weißer See", [[
        [(13.4613, 52.5540), (13.4625, 52.5552), (13.4648, 52.5555), (13.4665, 52.5545), (13.4664, 52.5530),
         (13.4645, 52.5523), (13.4622, 52.5527)],
    ]]),
    "ploetzensee": ("lake", "Plötzensee", [[
        [(13.3278, 52.5460), (13.3296, 52.5464), (13.3308, 52.5445), (13.3303, 52.5427), (13.3288, 52.5426),
         (13.3279, 52.5443)],
    ]]),
    "tegeler-see": ("lake", "Tegeler See", [[
        [(13.2800, 52.5880), (13.2680, 52.5876), (13.2540, 52.5852), (13.2430, 52.5803), (13.2310, 52.5742),
         (13.2270, 52.5700), (13.2370, 52.5680), (13.2530, 52.5700), (13.2660, 52.5730), (13.2725, 52.5790),
         (13.2812, 52.5842)],
        [(13.2520, 52.5832), (13.2560, 52.5838), (13.2600, 52.5815), (13.2570, 52.5790), (13.2530, 52.5800)],  # Scharfenberg
        [(13.2375, 52.5735), (13.2425, 52.5742), (13.2430, 52.5722), (13.2380, 52.5718)],  # Valentinswerder
    ]]),
    "mueggelsee": ("lake", "Großer Müggelsee", [[
        [(13.6290, 52.4455), (13.6400, 52.4500), (13.6560, 52.4495), (13.6700, 52.4465), (13.6840, 52.4420),
         (13.6900, 52.4350), (13.6760, 52.4270), (13.6560, 52.4250), (13.6390, 52.4290), (13.6290, 52.4370)],
    ]]),
    "lietzensee": ("lake", "Lietzensee", [
        [[(13.2868, 52.5100), (13.2890, 52.5104), (13.2905, 52.5080), (13.2880, 52.5072)]],
        [[(13.2868, 52.5066), (13.2893, 52.5064), (13.2890, 52.5040), (13.2862, 52.5038)]],
    ]),
}

# GeoJSON properties in addition to name, radius and kind.
MEMBERS: Dict[str, Dict[str, object]] = {
    "txl": {"active": False},  # closed in 2020
    "icc": {"active": False},  # closed in 2014
    "pergamonmuseum": {"active": False},  # closed while it is rebuilt
    "komische-oper": {"active": False},  # closed while it is rebuilt
    "gedenkstaette-hohenschoenhausen": {"active": False},
    "ber": {"priority": 10, "dwell": 900},
    "hauptbahnhof": {"priority": 5, "dwell": 300},
    "ostbahnhof": {"dwell": 300},
    "suedkreuz": {"dwell": 300},
    "charite-mitte": {"priority": 5},
    "charite-virchow": {"priority": 5},
    "klinikum-am-urban": {"priority": 5},
    "klinikum-neukoelln": {"priority": 5},
    "klinikum-friedrichshain": {"priority": 5},
    "unfallkrankenhaus": {"priority": 5},
    "olympiastadion": {"dwell": 1800},
    "alte-foersterei": {"dwell": 1800},
    "uber-arena": {"dwell": 1800},
    "botanischer-garten": {"dwell": 900},
    "zoo": {"dwell": 900},
    "grosser-tiergarten": {"dwell": 600},
    "tempelhofer-feld": {"dwell": 600},
    "mauerpark": {"dwell": 600},
    "museumsinsel": {"dwell": 1200},
    "tegeler-see": {"dwell": 1200},
    "freie-universitaet": {"dwell": 3600},
    "kadewe": {"dwell": 600},
    "volkspark-friedrichshain": {"dwell": 900},
    "umweltzone": {"groups": ["fleet"]},
    "westhafen-markt": {"groups": ["fleet"]},
    "depot": {"priority": 10, "dwell": 600, "groups": ["fleet"]},
    "garage-sued": {"dwell": 900, "groups": ["fleet"]},
    "charging-park": {"dwell": 900, "groups": ["fleet"]},
    "home-anna": {"priority": 20, "groups": ["family"]},
    "home-ben": {"priority": 20, "groups": ["family"]},
    "school": {"priority": 20, "dwell": 3600, "devices": ["mia-watch"]},
    "football": {"priority": 10, "dwell": 1800, "groups": ["family"]},
    "office": {"dwell": 3600, "devices": ["anna-phone"]},
    "office-ben": {"dwell": 3600, "devices": ["ben-phone"]},
    "dog-run": {"priority": 10, "devices": ["dog-tracker"]},
    "home-nina": {"priority": 20, "devices": ["nina-phone"]},
    "home-clara": {"priority": 20, "devices": ["clara-phone"]},
    "office-clara": {"dwell": 3600, "devices": ["clara-phone"]},
    "home-student": {"priority": 20, "dwell": 28800, "devices": ["student-phone"]},  # a whole night
}

_TABLES = [
    ("station", STATIONS), ("park", PARKS), ("square", SQUARES), ("sight", SIGHTS), ("museum", MUSEUMS),
    ("stage", STAGES), ("sport", SPORTS), ("hospital", HOSPITALS), ("university", UNIVERSITIES), ("shop", SHOPS),
    ("airport", AIRPORTS), ("private", OURS),
]


def circles() -> List[Place]:
    """Returns all circular places in the order of the tables."""
    places = []
    for kind, table in _TABLES:
        for row in table.strip().splitlines():
            id, name, latitude, longitude, radius = (cell.strip() for cell in row.split("|"))
            places.append(Place(id, kind, name, float(latitude), float(longitude), float(radius)))
    return places
