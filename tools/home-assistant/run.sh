#!/usr/bin/with-contenv bashio
# Starts Picket with the options of the add-on.
export PICKET_DATA=/data/picket PICKET_LISTEN=0.0.0.0:7575
PICKET_LOG_LEVEL=$(bashio::config 'log_level')
export PICKET_LOG_LEVEL
if bashio::config.has_value 'public_url'; then
    PICKET_PUBLIC_URL=$(bashio::config 'public_url')
    export PICKET_PUBLIC_URL
fi
if bashio::config.has_value 'trusted_proxy'; then
    PICKET_TRUSTED_PROXY=$(bashio::config 'trusted_proxy')
    export PICKET_TRUSTED_PROXY
fi
if bashio::config.true 'ssl'; then
    PICKET_TLS_CERT=/ssl/$(bashio::config 'certfile')
    PICKET_TLS_KEY=/ssl/$(bashio::config 'keyfile')
    export PICKET_TLS_CERT PICKET_TLS_KEY
fi

# Others can reach the service, so it needs a token from the beginning.
if [ ! -e "$PICKET_DATA/picket.sqlite" ]; then
    bashio::log.info "Your token, which is shown only this once. Sign in with it on the dashboard:"
    picket token create home-assistant --role admin
fi

# The broker of Home Assistant. Its password can change.
if bashio::services.available 'mqtt'; then
    broker=mqtt://$(bashio::services mqtt 'username'):$(bashio::services mqtt 'password')
    broker+=@$(bashio::services mqtt 'host'):$(bashio::services mqtt 'port')
    if picket sink show home-assistant >/dev/null 2>&1; then
        picket sink edit home-assistant --url - <<<"$broker" >/dev/null
    else
        picket sink add mqtt - --id home-assistant --discovery homeassistant <<<"$broker" >/dev/null
    fi
fi
exec picket serve
